import { Clock, definePlugin, type PluginUse } from '../../core/index.ts'
import { Coordinated, CoordinatedLimiter, Coordination, RateLimiter, SavedWindows, SharedState } from '../../core/stores.ts'
import { check } from '../../core/framework/checked-plugins.ts'
import type { Token } from '../../core/foundation/token.ts'
import { OwnedCoordination } from './owned-coordination.ts'
import { OwnedState } from './owned-state.ts'
import { OwnerClient } from './owner-client.ts'

/** A start never waits longer for the owner process. */
const startWaitMs = 1_000

/** The plugin that lets this process count with the others of its machine. Leaves out services that the config's own plugins provide. */
export function ownerPlugins(path: string, processes: number, plugins: readonly PluginUse[], isFirst = false): readonly PluginUse[] {
  const checked = check(plugins)
  if (checked.some(({ provides }) => provides.includes(Coordination))) return []
  const own = checked.flatMap(({ plugin, options, isDefault }): readonly Token<any>[] => {
    if (isDefault) return []
    return typeof plugin.provides === 'function' ? plugin.provides(options) : (plugin.provides ?? [])
  })
  const provides = [Coordination, SharedState, RateLimiter].filter(service => !own.includes(service))
  return [ownerPlugin(provides, isFirst)({ path, processes })]
}

const countsApart =
  'the workers of this machine count limits together, but gateways on other machines count theirs for themselves, exact ones too; those that load a plugin such as stores/valkey count together'

function ownerPlugin(provides: readonly Token<any>[], isFirst: boolean) {
  return definePlugin({
    name: 'owner',
    contracts: { Coordination: 1, SharedState: 1 },
    options: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'processes'],
      properties: {
        path: { type: 'string', description: 'The socket of the owner process.' },
        processes: { type: 'integer', minimum: 1, description: 'How many workers there are.' },
      },
    },
    needs: { clock: Clock, coordinated: Coordinated.token },
    wants: { saved: SavedWindows },
    provides,
    setup(gateway, { path, processes }, { clock, coordinated, saved }) {
      const { log } = gateway
      const client = new OwnerClient(path, clock, log)
      gateway.provide(Coordination, new OwnedCoordination(client, processes))
      if (gateway.provides(SharedState)) gateway.provide(SharedState, new OwnedState(client))
      gateway.onStart(() => client.open(startWaitMs))
      gateway.onStop(() => client.close())
      if (!gateway.provides(RateLimiter)) return
      const limiter = new CoordinatedLimiter({ coordinated, clock, log, saved, isOfOneMachine: true })
      gateway.provide(RateLimiter, limiter)
      if (isFirst && saved?.isShared) gateway.onStart(() => log.info(countsApart))
      gateway.onStop(() => limiter.stop())
    },
  })
}

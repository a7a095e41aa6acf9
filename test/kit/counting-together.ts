import { Clock, definePlugin } from '../../core/index.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { Coordinated, CoordinatedLimiter, Coordination, RateLimiter, SharedState, type MemoryCoordination } from '../../core/stores.ts'
import type { SharingGroup } from './sharing-group.ts'

let made = 0

/** A plugin that makes a gateway count together with all others on this engine and in this group. */
export function countingTogether(engine: MemoryCoordination, group: SharingGroup): PluginUse {
  return definePlugin({
    name: `counting-together-${++made}`,
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { coordinated: Coordinated.token, clock: Clock },
    contracts: { Coordination: 1, SharedState: 1 },
    provides: [Coordination, RateLimiter, SharedState],
    setup(registrar, _, { coordinated, clock }) {
      registrar.provide(Coordination, engine.member(registrar.name))
      registrar.provide(RateLimiter, new CoordinatedLimiter({ coordinated, clock, log: registrar.log }))
      registrar.provide(SharedState, group.join())
    },
  })({})
}

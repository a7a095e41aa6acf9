import { Clock, definePlugin, type PluginUse } from '../../../core/index.ts'
import { Logger } from '../../../core/foundation/logger.ts'
import { Coordinated, CoordinatedLimiter, Coordination, RateLimiter, SavedWindows } from '../../../core/stores.ts'

/** A plugin that makes a gateway count together with others. `given`: called with what core gives it. */
export function coordinating(service: Coordination, given: (coordinated: Coordinated) => void = () => {}): PluginUse {
  return definePlugin({
    name: 'coordinating',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { clock: Clock, log: Logger, coordinated: Coordinated.token },
    wants: { saved: SavedWindows },
    provides: [Coordination, RateLimiter],
    setup(registrar, _, { clock, log, coordinated, saved }) {
      registrar.provide(Coordination, service)
      given(coordinated)
      const limiter = new CoordinatedLimiter({ coordinated, clock, log, saved })
      registrar.provide(RateLimiter, limiter)
      registrar.onStop(() => limiter.stop())
    },
  })({})
}

import { definePlugin, Routes, type Exchange, type JsonObject, type Reply, type Route } from '../../../core/index.ts'
import type { GatewayServices } from '../../../core/kit.ts'
import { Ledger, RateLimiter, RecordStore } from '../../../core/stores.ts'
import { describeCredits, describeKey } from './description.ts'
import type { KeyStanding } from './standing.ts'

/** `GET /v1/key` and `GET /v1/credits`: docs/protocol/key.md. */
export default definePlugin({
  name: 'key',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { ledger: Ledger, limiter: RateLimiter, records: RecordStore },
  setup(gateway, _, stores) {
    const showing =
      (show: (standing: KeyStanding, exchange: Exchange) => Promise<JsonObject>) =>
      async (exchange: Exchange, { clock }: GatewayServices): Promise<Reply> => {
        const { KeyStanding } = await import('./standing.ts')
        const body = JSON.stringify(await show(new KeyStanding(stores, exchange.caller, clock.now()), exchange))
        return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
      }
    const route = { method: 'GET', auth: 'key', surface: null } as const
    gateway.add<Route>(Routes, { ...route, path: '/v1/key', handle: showing(standing => standing.key()), describe: describeKey })
    gateway.add<Route>(Routes, {
      ...route,
      path: '/v1/credits',
      handle: showing(standing => standing.credits()),
      describe: describeCredits,
    })
  },
})

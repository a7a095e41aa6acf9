// Prints a line for each call, each of its attempts and each of its rounds of tools, when it ends.

import { CallObservers, definePlugin } from 'turnpike'

export default definePlugin({
  name: 'acme-tracer',
  contracts: { CallObservers: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(CallObservers, {
      name: 'acme-tracer',
      begin({ id, kind, at }) {
        const print = (span: string, startedAt: number, elapsedMs: number, fields: object) =>
          gateway.log.info(span, { request: id, afterMs: startedAt - at, elapsedMs, ...fields })
        return {
          attempt:
            ({ provider, model, at: startedAt }) =>
            ({ elapsedMs, firstEventMs, outcome }) =>
              print('attempt', startedAt, elapsedMs, { provider, model, firstEventMs, outcome }),
          toolRound:
            ({ tools, at: startedAt }) =>
            ({ elapsedMs, failed }) =>
              print('tools', startedAt, elapsedMs, { tools, failed }),
          end: ({ elapsedMs, outcome, status, costUsd, answeredBy }) =>
            print(kind, at, elapsedMs, { outcome, status, costUsd, answeredBy }),
        }
      },
    })
  },
})

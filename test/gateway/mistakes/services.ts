import { Compactor } from '../../../core/kit.ts'
import { AuditTrail, Coordination, Sealer, SharedState } from '../../../core/stores.ts'
import { acme, adds, provides, run, type Mistake } from './stage.ts'

/** Those in a service that a plugin provides. */
export const services: readonly Mistake[] = [
  {
    kind: 'store',
    mistake: 'lacks a function',
    plugins: provides(AuditTrail, { add: run }),
    sentence: 'plugin acme provides audit-trail with a bad `page`: expected a function, got undefined',
  },
  {
    kind: 'store',
    mistake: 'a class in the place of an object',
    plugins: provides(AuditTrail, class AuditFile {}),
    sentence: 'plugin acme provides audit-trail: expected an object, got a function. Make one of the class: new AuditFile(…)',
  },
  {
    kind: 'store',
    mistake: 'added in the place of provided',
    plugins: adds(AuditTrail, { add: run, page: run }),
    sentence: 'plugin acme adds to AuditTrail, which is a service. List it in `provides`, and call gateway.provide(AuditTrail, …)',
  },
  {
    kind: 'store',
    mistake: 'not in `provides`',
    plugins: () => [acme(gateway => gateway.provide(AuditTrail, { add: run, page: run } as never))],
    sentence: 'plugin acme provides audit-trail without declaring it. Write provides: [AuditTrail] into definePlugin',
  },
  {
    kind: 'store',
    mistake: 'in `provides`, but never provided',
    plugins: () => [acme(run, { provides: [AuditTrail] })],
    sentence: 'plugin acme declares audit-trail but never provided it. Call gateway.provide(AuditTrail, …) in setup',
  },
  {
    kind: 'compactor',
    mistake: 'without `isPortable`',
    plugins: provides(Compactor, { question: run, maxSummaryTokens: 100, maxKeptTokens: 100, maxParts: 1 }),
    sentence: 'plugin acme provides compactor with a bad `isPortable`: expected true or false, got undefined',
  },
  {
    kind: 'shared-state',
    mistake: 'it publishes and never subscribes',
    plugins: provides(SharedState, { publish: run }),
    sentence: 'plugin acme provides shared-state with a bad `subscribe`: expected a function, got undefined',
  },
  {
    kind: 'where processes count together',
    mistake: 'without signs of life',
    plugins: provides(Coordination, { claim: run, change: run, states: run, gauges: run, exchange: run }),
    sentence: 'plugin acme provides coordination with a bad `beat`: expected a function, got undefined',
  },
  {
    kind: 'sealer',
    mistake: '`hasKey` is a function',
    plugins: provides(Sealer, { keySource: 'acme', isShared: false, hasKey: run, seal: run, open: run, isCurrent: run, mac: run }),
    sentence: 'plugin acme provides sealer with a bad `hasKey`: expected true or false, got a function',
  },
]

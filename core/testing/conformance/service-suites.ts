import { AccountStore } from '../../contracts/account-store.ts'
import { AdminTokenStore } from '../../contracts/admin-token-store.ts'
import { AlertOutbox } from '../../contracts/alert-outbox.ts'
import { AlertTargetStore } from '../../contracts/alert-target.ts'
import { AlertTargets } from '../../contracts/alert-targets.ts'
import { AlertStore } from '../../contracts/alert.ts'
import { AuditTrail } from '../../contracts/audit-trail.ts'
import { BackgroundStore } from '../../contracts/background-store.ts'
import { Compactor } from '../../contracts/compactor.ts'
import { ConversationStore } from '../../contracts/conversation-store.ts'
import { Coordination } from '../../contracts/coordination.ts'
import { KeyStore } from '../../contracts/key-store.ts'
import { Ledger } from '../../contracts/ledger.ts'
import { MetricStore } from '../../contracts/metric-store.ts'
import { RateLimiter } from '../../contracts/rate-limiter.ts'
import { RecordStore } from '../../contracts/record-store.ts'
import { ResponseStore } from '../../contracts/response-store.ts'
import { SavedWindows } from '../../contracts/saved-windows.ts'
import { Sealer } from '../../contracts/sealer.ts'
import { SharedState } from '../../contracts/shared-state.ts'
import { SignOuts } from '../../contracts/sign-outs.ts'
import { TokenCounter } from '../../contracts/token-counter.ts'
import { LogSinks } from '../../framework/extension-points.ts'
import type { Maybe } from '../../runtime/pending.ts'
import { PluginStage } from '../plugin-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { sharedStateSuite } from '../shared-state-suite.ts'
import { accountStoreSuite } from '../stores/account-store-suite.ts'
import { adminTokenStoreSuite } from '../stores/admin-token-store-suite.ts'
import { alertOutboxSuite } from '../stores/alert-outbox-suite.ts'
import { alertStoreSuite } from '../stores/alert-store-suite.ts'
import { alertTargetStoreSuite } from '../stores/alert-target-store-suite.ts'
import { auditTrailSuite } from '../stores/audit-trail-suite.ts'
import { backgroundStoreSuite } from '../stores/background-store-suite.ts'
import { conversationStoreSuite } from '../stores/conversation-store-suite.ts'
import { coordinationSuite } from '../stores/coordination-suite.ts'
import { keyStoreSuite } from '../stores/key-store-suite.ts'
import { ledgerSuite } from '../stores/ledger-suite.ts'
import { metricStoreSuite } from '../stores/metric-store-suite.ts'
import { rateLimiterSuite } from '../stores/rate-limiter-suite.ts'
import { recordStoreSuite } from '../stores/record-store-suite.ts'
import type { RecordsUnderTest } from '../stores/records-under-test.ts'
import { responseStoreSuite } from '../stores/response-store-suite.ts'
import { sealerSuite } from '../stores/sealer-suite.ts'
import { signOutsSuite } from '../stores/sign-outs-suite.ts'
import { alertTargetsSuite } from '../suites/alert-targets-suite.ts'
import { conversationsSuite } from '../suites/conversations-suite.ts'
import { compactorSuite, savedWindowsSuite, tokenCounterSuite } from '../suites/service-suites.ts'
import { companionsOf } from '../companions.ts'
import { OpenedStore } from './opened-store.ts'
import { madeBy, type ConformanceSubject } from './subject.ts'

/** The tests of one contract: the suite runs, or its reason says why it cannot. */
export interface Applied {
  readonly suite: string
  run(t: SuiteContext): void
}
export interface NotApplied {
  readonly suite: string
  readonly reason: string
}

/** A subject, and the stage on which it was looked at. */
export interface Looked {
  readonly subject: ConformanceSubject
  readonly stage: PluginStage
  readonly name: string
}

export type SuitesOf = (looked: Looked) => readonly (Applied | NotApplied)[]

type Under = { close?(): Maybe<void> }

/** The suite of a service: `make` turns an opened store into what the suite's `open` returns. */
function suite<U extends Under>(
  run: (t: SuiteContext, options: { open(): Promise<U> }) => void,
  make: (store: OpenedStore, looked: Looked) => Promise<Omit<U, 'close'>>,
  { needsTime = false } = {},
): SuitesOf {
  return looked => {
    if (needsTime && !tellsTime(looked))
      return [{ suite: run.name, reason: 'give `store` with `pass`, or take the time from the service `Clock`' }]
    const open = async (): Promise<U> => {
      const store = await OpenedStore.open(looked.subject)
      try {
        return { ...(await make(store, looked)), close: () => store.close() } as unknown as U
      } catch (error) {
        await store.close()
        throw error
      }
    }
    return [{ suite: run.name, run: t => run(t, { open }) }]
  }
}

/** True if tests can let time pass. A subject with a function `store` says so when it is opened, so it counts as one. */
function tellsTime({ subject, stage, name }: Looked): boolean {
  return subject.store !== undefined || stage.goesByClock(name)
}

/** For suites whose `open` returns the service under one name, beside `other` and `pass`. */
function one<N extends string, T>(name: N, service: symbol): (store: OpenedStore) => Promise<any> {
  return async store => {
    const { own, other } = await store.services<T>(service as never)
    return { [name]: own, ...other, ...store.passing }
  }
}

/** By the name of the contract. */
export const serviceSuites: Readonly<Record<string, SuitesOf>> = {
  KeyStore: suite(keyStoreSuite, one('keys', KeyStore)),
  AccountStore: suite(accountStoreSuite, async (store, { stage, name }) => {
    const first = await store.join()
    const second = store.isShared ? await store.join() : undefined
    const other = second && { other: second.service(AccountStore)! }
    const keys = stage.provides(name, KeyStore) && { keys: first.service(KeyStore)! }
    return { accounts: first.service(AccountStore)!, ...keys, ...other, ...store.passing }
  }),
  ResponseStore: suite(responseStoreSuite, one('responses', ResponseStore)),
  ConversationStore: suite(conversationStoreSuite, one('conversations', ConversationStore), { needsTime: true }),
  BackgroundStore: suite(backgroundStoreSuite, one('background', BackgroundStore), { needsTime: true }),
  MetricStore: suite(metricStoreSuite, async store => ({
    metrics: (await store.join()).service(MetricStore)!,
    now: () => store.clock.now(),
    ...store.passing,
  })),
  RateLimiter: suite(rateLimiterSuite, one('limiter', RateLimiter)),
  SavedWindows: suite(savedWindowsSuite, one('windows', SavedWindows)),
  Ledger: suite(ledgerSuite, one('ledger', Ledger)),
  RecordStore: looked => {
    const [sink] = looked.stage.entries(LogSinks, looked.name)
    if (!sink) return [{ suite: 'recordStoreSuite', reason: 'the plugin adds no log sink that fills its record store' }]
    const keepsContent = sink.contribution.accepts === 'content'
    return suite<RecordsUnderTest>(
      function recordStores(t, { open }) {
        recordStoreSuite(t, { open, keepsContent })
      },
      async store => {
        const stage = await store.join()
        return { records: stage.service(RecordStore)!, sink: stage.entries(LogSinks, looked.name)[0]!.contribution }
      },
    )(looked).map(found => ({ ...found, suite: 'recordStoreSuite' }))
  },
  AuditTrail: suite(auditTrailSuite, one('audit', AuditTrail)),
  AdminTokenStore: suite(adminTokenStoreSuite, one('tokens', AdminTokenStore)),
  SignOuts: suite(signOutsSuite, one('signOuts', SignOuts)),
  AlertStore: suite(alertStoreSuite, one('alerts', AlertStore), { needsTime: true }),
  AlertTargetStore: suite(alertTargetStoreSuite, one('targets', AlertTargetStore)),
  AlertOutbox: suite(alertOutboxSuite, one('outbox', AlertOutbox), { needsTime: true }),
  AlertTargets: suite(alertTargetsSuite, one('targets', AlertTargets)),
  TokenCounter: suite(tokenCounterSuite, one('counter', TokenCounter)),
  Compactor: suite(compactorSuite, one('compactor', Compactor)),
  SharedState: suite(sharedStateSuite, async store => ({ join: async () => (await store.join()).service(SharedState)! })),
  Coordination: suite(coordinationSuite, async store => ({
    join: async () => (await store.join()).service(Coordination)!,
    ...store.passing,
  })),
  Sealer: looked => {
    const stranger = looked.subject.inputs?.Sealer?.stranger
    if (!stranger) return [{ suite: 'sealerSuite', reason: 'give `inputs.Sealer.stranger`: the plugin with another master key' }]
    return suite(sealerSuite, async store => {
      const other = await PluginStage.open([...(await companionsOf([stranger])), stranger])
      // A sealer needs nothing that closing it would end.
      await other.close()
      return { sealer: (await store.join()).service(Sealer)!, stranger: other.service(Sealer)! }
    })(looked)
  },
  Conversations: ({ subject }) => {
    const inputs = subject.inputs?.Conversations
    if (!inputs) return [{ suite: 'conversationsSuite', reason: 'give `inputs.Conversations.create`' }]
    const options = { plugin: () => madeBy(subject), plugins: () => subject.plugins?.() ?? [], ...inputs }
    return [{ suite: 'conversationsSuite', run: t => conversationsSuite(t, options) }]
  },
}

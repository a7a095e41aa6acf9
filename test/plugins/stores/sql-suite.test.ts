import { setTimeout } from 'node:timers/promises'
import { sql, type Kysely, type Transaction } from 'kysely'
import t from 'tap'
import { SqlAccounts } from '../../../plugins/stores/sql/accounts.ts'
import { SqlAdminTokens } from '../../../plugins/stores/sql/admin-tokens.ts'
import { SqlAlertOutbox } from '../../../plugins/stores/sql/alerts/outbox.ts'
import { SqlAlertTargets } from '../../../plugins/stores/sql/alerts/targets.ts'
import { SqlAlerts } from '../../../plugins/stores/sql/alerts/store.ts'
import { SqlAuditTrail } from '../../../plugins/stores/sql/audit-trail.ts'
import { SqlConversations } from '../../../plugins/stores/sql/conversations.ts'
import { SqlBackground } from '../../../plugins/stores/sql/background.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { SqlKeys } from '../../../plugins/stores/sql/keys.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { RecordSink } from '../../../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../../../plugins/stores/sql/records/store.ts'
import { SqlSignOuts } from '../../../plugins/stores/sql/sign-outs.ts'
import { SqlResponses } from '../../../plugins/stores/sql/responses.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { onEveryDatabase, openOnce, silent, testSealer } from './databases.ts'
import { leanKey } from '../../../core/testing/stores/key-store-suite.ts'
import {
  accountStoreSuite,
  adminTokenStoreSuite,
  alertOutboxSuite,
  alertStoreSuite,
  alertTargetStoreSuite,
  auditTrailSuite,
  conversationStoreSuite,
  backgroundStoreSuite,
  keyStoreSuite,
  ledgerSuite,
  recordStoreSuite,
  responseStoreSuite,
  signOutsSuite,
} from '../../../core/testing/index.ts'
import { record } from '../../../core/testing/stores/example-record.ts'
import { response } from '../../../core/testing/stores/response-store-suite.ts'

const caching = { cacheTtlMs: 1_000, staleKeysMs: 60_000 }

function partsOn(database: Kysely<Tables>): SealedParts {
  return new SealedParts(new DataKeys(database, testSealer(), new FakeClock(), silent, 90))
}

onEveryDatabase(t, (t, open) => {
  void t.test('keys', async t =>
    keyStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const clock = new FakeClock()
        const gateway = (): SqlKeys => new SqlKeys(database, clock, silent, caching)
        return { close, keys: gateway(), other: gateway(), pass: milliseconds => clock.pass(milliseconds) }
      },
    }),
  )

  void t.test('accounts', async t =>
    accountStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const clock = new FakeClock()
        const gateway = (): SqlAccounts => new SqlAccounts(database, clock, caching)
        const keys = new SqlKeys(database, clock, silent, caching)
        return { close, accounts: gateway(), keys, other: gateway(), pass: milliseconds => clock.pass(milliseconds) }
      },
    }),
  )

  void t.test('audit trail', async t =>
    auditTrailSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        return { close, audit: new SqlAuditTrail(database) }
      },
    }),
  )

  void t.test('targets of alerts', async t =>
    alertTargetStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const gateway = (): SqlAlertTargets => new SqlAlertTargets(database, partsOn(database), silent)
        return { close, targets: gateway(), other: gateway() }
      },
    }),
  )

  void t.test('messages to targets of alerts', async t =>
    alertOutboxSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const gateway = (): SqlAlertOutbox => new SqlAlertOutbox(database)
        const pass = async (milliseconds: number): Promise<void> => {
          const earlier = (column: string) => sql<number>`${sql.ref(column)} - ${sql.lit(milliseconds)}`
          const [at, since, due_at, ended_at] = ['at', 'since', 'due_at', 'ended_at'].map(earlier)
          await database.updateTable('alert_message').set({ at: at!, since: since!, due_at: due_at!, ended_at: ended_at! }).execute()
          await database
            .updateTable('alert_target_use')
            .set({ digest_at: earlier('digest_at'), ended_at: earlier('ended_at') })
            .execute()
        }
        return { close, outbox: gateway(), other: gateway(), pass }
      },
    }),
  )

  void t.test('alerts', async t =>
    alertStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const gateway = (): SqlAlerts => new SqlAlerts(database, systemClock)
        const pass = async (milliseconds: number): Promise<void> => {
          const earlier = (column: string) => sql<number>`${sql.ref(column)} - ${sql.lit(milliseconds)}`
          await database
            .updateTable('alert')
            .set({ at: earlier('at') })
            .execute()
          await database
            .updateTable('alert_claim')
            .set({ ends_at: earlier('ends_at') })
            .execute()
          const [due_at, raised_at] = [earlier('due_at'), earlier('raised_at')]
          await database.updateTable('alert_delivery').set({ due_at, raised_at }).execute()
          await database
            .updateTable('alert_silence')
            .set({ ends_at: earlier('ends_at') })
            .execute()
        }
        return { close, alerts: gateway(), other: gateway(), pass }
      },
    }),
  )

  void t.test('the newest ten thousand alerts of each organization stay', async t => {
    const database = await open(t)
    const now = Date.now()
    const alert = { kind: 'cap', subject: 'key:demo', severity: 'info', title: 'x', message: 'x', facts: '{}', audience: 'all' }
    const rows = Array.from({ length: 10_700 }, (_, index) => ({
      ...alert,
      id: `a${String(index).padStart(5, '0')}`,
      at: now + index,
      org: index < 600 ? 'example' : null,
      resolves: null,
      resolved_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
      silenced_by: null,
    }))
    for (let index = 0; index < rows.length; index += 500)
      await database
        .insertInto('alert')
        .values(rows.slice(index, index + 500))
        .execute()
    const alerts = new SqlAlerts(database, systemClock)
    await alerts.expire()
    t.equal((await alerts.page({ org: 'example' }, { limit: 1_000 })).length, 600)
    const { left } = await database
      .selectFrom('alert')
      .select(({ fn }) => fn.countAll<number>().as('left'))
      .executeTakeFirstOrThrow()
    t.equal(Number(left), 10_600)
    t.equal(await alerts.find('a00699'), undefined, 'the oldest of the gateway')
    t.ok(await alerts.find('a00700'))
  })

  void t.test('background responses', async t =>
    backgroundStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const pass = async (milliseconds: number): Promise<void> => {
          const earlier = (column: string) => sql<number>`${sql.ref(column)} - ${sql.lit(milliseconds)}`
          const times = { lease_ends_at: earlier('lease_ends_at'), expires_at: earlier('expires_at'), notice_at: earlier('notice_at') }
          await database.updateTable('background').set(times).execute()
        }
        return { close, background: new SqlBackground(database, partsOn(database), silent), pass }
      },
    }),
  )

  void t.test('admin tokens', async t =>
    adminTokenStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        return { close, tokens: new SqlAdminTokens(database) }
      },
    }),
  )

  void t.test('sign-outs', async t =>
    signOutsSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        return { close, signOuts: new SqlSignOuts(database), other: new SqlSignOuts(database) }
      },
    }),
  )

  void t.test('ledger', async t =>
    ledgerSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const clock = new FakeClock()
        const gateway = (): SqlLedger => new SqlLedger(database, clock, silent, new LedgerProcess(database, clock, silent))
        return { close, ledger: gateway(), other: gateway(), pass: milliseconds => clock.pass(milliseconds) }
      },
    }),
  )

  void t.test('records', async t =>
    recordStoreSuite(t, {
      keepsContent: true,
      async open() {
        const { database, close } = await openOnce(t, open)
        const gateway = () => ({
          sink: new RecordSink(database, partsOn(database)),
          records: new SqlRecords(database, new FakeClock(), partsOn(database), silent),
        })
        return { close, ...gateway(), reopen: gateway }
      },
    }),
  )

  void t.test('two gateways name a hundred models together', async t => {
    const database = await open(t)
    const [one, two] = [1, 2].map(() => new RecordSink(database, partsOn(database)))
    const batch = (first: number) =>
      Array.from({ length: 80 }, (_, index) => {
        const [id, model] = [`req_${first + index}`, `m${first + index}`]
        return record(0, {
          id,
          answerId: id,
          model,
          attempts: [{ provider: 'acme', model, outcome: 'ok', status: null, elapsedMs: 1, listed: false }],
        })
      })
    await Promise.all([one!.write(batch(0)), two!.write(batch(80))])
    await one!.write(batch(160))
    const store = new SqlRecords(database, new FakeClock(), partsOn(database), silent)
    const rows = await store.usage({ from: 0, to: Date.UTC(2030, 0), bucket: 'total', groupBy: ['model'], limit: 1_000 })
    t.equal(rows.length, 101)
    t.match(
      rows.find(({ group }) => group!.model === 'other'),
      { requests: 140, attempts: 140 },
    )
  })

  void t.test('the sums of a user are those of its keys, deleted ones included', async t => {
    const database = await open(t)
    const keys = new SqlKeys(database, new FakeClock(), silent, caching)
    const sink = new RecordSink(database, partsOn(database))
    const store = new SqlRecords(database, new FakeClock(), partsOn(database), silent)
    for (const [id, org, user] of [
      ['own', 'example', 'ada'],
      ['deleted', 'example', 'ada'],
      ['other', 'example', 'bob'],
      ['elsewhere', 'another', 'ada'],
    ] as const) {
      await keys.add({ ...leanKey, id, org, user, ...(id === 'deleted' && { hidden: true }) })
      await sink.write([record(0, { id: `req_${id}`, keyId: id, org, user, costUsd: 1 })])
    }
    const all = { from: 0, to: Date.UTC(2030, 0), bucket: 'total', groupBy: [], limit: 1 } as const
    t.match(await store.usage({ ...all, org: 'example', user: 'ada' }), [{ requests: 2, costUsd: 2 }])
    t.match(await store.usage({ ...all, user: 'ada' }), [{ requests: 3 }])
    t.same(await store.usage({ ...all, org: 'example', user: 'nobody' }), [])
  })

  void t.test('a response whose commit was not confirmed is deleted, because its caller heard that it is not stored', async t => {
    const database = await open(t)
    const responses = new SqlResponses(breaking(database, 2), partsOn(database), silent, { reader: database })
    t.teardown(() => responses.stop())
    await t.rejects(responses.put('ada', response('a')), { code: 'ECONNRESET' })
    await responses.put('ada', response('b', 'a'))
    while (await responses.get('ada', 'a')) await setTimeout(10)
    t.strictSame(await responses.get('ada', 'b'), response('b', 'a'))
    t.equal((await responses.items('ada', ['msg_a'])).size, 0)
  })

  void t.test('conversations', async t =>
    conversationStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const gateway = (): SqlConversations => new SqlConversations(database, partsOn(database), silent)
        const pass = async (milliseconds: number): Promise<void> =>
          void (await database
            .updateTable('conversation')
            .set({ leased_until: sql<number>`leased_until - ${sql.lit(milliseconds)}` })
            .execute())
        return { close, conversations: gateway(), other: gateway(), pass }
      },
    }),
  )

  void t.test('responses', async t =>
    responseStoreSuite(t, {
      async open() {
        const { database, close } = await openOnce(t, open)
        const stored = async (): Promise<string> => {
          const rows = await Promise.all([
            database.selectFrom('response').selectAll().execute(),
            database.selectFrom('response_item').selectAll().execute(),
          ])
          const values: readonly unknown[] = rows.flat().flatMap(row => Object.values(row))
          return values.map(value => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value))).join('\n')
        }
        return { close, responses: new SqlResponses(database, partsOn(database), silent), stored }
      },
    }),
  )
})

/** A connection that breaks after each of the first commits. */
function breaking(database: Kysely<Tables>, times: number): Kysely<Tables> {
  let left = times
  return new Proxy(database, {
    get(target, name) {
      if (name === 'transaction' && left-- > 0) {
        return () => ({
          async execute(work: (transaction: Transaction<Tables>) => Promise<unknown>) {
            await target.transaction().execute(work)
            throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' })
          },
        })
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

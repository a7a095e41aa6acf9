import type { Kysely } from 'kysely'
import t from 'tap'
import { SqlAccounts } from '../../../plugins/stores/sql/accounts.ts'
import { SqlAdminTokens } from '../../../plugins/stores/sql/admin-tokens.ts'
import { SqlAuditTrail } from '../../../plugins/stores/sql/audit-trail.ts'
import { DataKeys } from '../../../plugins/stores/sql/data-keys.ts'
import { SqlKeys } from '../../../plugins/stores/sql/keys.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { RecordSink } from '../../../plugins/stores/sql/records/sink.ts'
import { SqlRecords } from '../../../plugins/stores/sql/records/store.ts'
import { SqlResponses } from '../../../plugins/stores/sql/responses.ts'
import { SealedParts } from '../../../plugins/stores/sql/sealed-parts.ts'
import type { Tables } from '../../../plugins/stores/sql/tables.ts'
import { FakeClock } from '../set-up.ts'
import { checkAccounts, checkAdminTokens, checkAuditTrail } from './accounts.ts'
import { onEveryDatabase, silent, testSealer } from './databases.ts'
import { checkKeyChanges } from './keys.ts'
import { checkLedger } from './ledger.ts'
import { checkRecords } from './records.ts'
import { checkResponseStore } from './responses.ts'

const caching = { cacheTtlMs: 1_000, staleKeysMs: 60_000 }

function partsOn(database: Kysely<Tables>): SealedParts {
  return new SealedParts(new DataKeys(database, testSealer(), new FakeClock(), silent, 90))
}

onEveryDatabase(t, (t, open) => {
  void t.test('keys change', async t => checkKeyChanges(t, new SqlKeys(await open(t), new FakeClock(), silent, caching)))

  void t.test('accounts', async t => {
    const database = await open(t)
    const clock = new FakeClock()
    await checkAccounts(t, new SqlAccounts(database, clock, caching), new SqlKeys(database, clock, silent, caching))
  })

  void t.test('audit trail', async t => checkAuditTrail(t, new SqlAuditTrail(await open(t))))

  void t.test('admin tokens', async t => checkAdminTokens(t, new SqlAdminTokens(await open(t))))

  void t.test('ledger', async t =>
    checkLedger(t, async clock => {
      const database = await open(t)
      return new SqlLedger(database, clock, silent, new LedgerProcess(database, clock, silent))
    }),
  )

  void t.test('records', async t => {
    const database = await open(t)
    await checkRecords(
      t,
      new RecordSink(database, partsOn(database), silent),
      new SqlRecords(database, new FakeClock(), partsOn(database), silent),
      true,
    )
  })

  void t.test('responses', async t => {
    checkResponseStore(t, async t => {
      const database = await open(t)
      return new SqlResponses(database, partsOn(database), silent)
    })
  })
})

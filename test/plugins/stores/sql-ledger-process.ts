// A separate gateway on a database: it makes the given number of reservations at once, settles each, and says how many succeeded.
import { systemClock } from '../../../core/foundation/clock.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { openPostgres } from '../../../plugins/stores/sql/postgres/open.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { silent } from './databases.ts'
import { capped, exactly, isHold } from '../../../core/testing/stores/ledger-suite.ts'

const [place = '', count = '', usd = ''] = process.argv.slice(2)
const { database } = place.startsWith('postgres:') ? await openPostgres({ url: place, maxConnections: 4 }, silent) : await openSqlite(place)
const ledgerProcess = new LedgerProcess(database, systemClock, silent)
const ledger = new SqlLedger(database, systemClock, silent, ledgerProcess)
const holds = await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) =>
    ledger.reserve(`req_${process.pid}_${index}`, { caps: capped.caps, creditOf: 'example' }, exactly(Number(usd))),
  ),
)
const got = holds.filter(isHold)
await Promise.all(got.map(hold => hold.settle(Number(usd))))
await ledgerProcess.stop()
await database.destroy()
console.log(got.length)

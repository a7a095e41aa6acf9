// A separate gateway on a SQLite file: it holds credit, says so, and runs until it is killed.
import { systemClock } from '../../../core/foundation/clock.ts'
import { SqlLedger } from '../../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../../plugins/stores/sql/ledger/process.ts'
import { openSqlite } from '../../../plugins/stores/sql/sqlite/open.ts'
import { silent } from './databases.ts'
import { capped, held } from '../../../core/testing/stores/ledger-suite.ts'

const { database } = await openSqlite(process.argv[2]!)
await held(new SqlLedger(database, systemClock, silent, new LedgerProcess(database, systemClock, silent)), capped, 0.5)
setInterval(() => {}, 60_000)
console.log('held')

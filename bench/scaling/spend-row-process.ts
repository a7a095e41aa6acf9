// One gateway's part of `spend-row.ts`: holds and settles again and again, and says how often in a second.
import { systemClock } from '../../core/foundation/clock.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { SqlLedger } from '../../plugins/stores/sql/ledger/ledger.ts'
import { LedgerProcess } from '../../plugins/stores/sql/ledger/process.ts'
import { openPostgres } from '../../plugins/stores/sql/postgres/open.ts'

const [url = '', atOnceText = '', orgsText = '', secondsText = ''] = process.argv.slice(2)
const orgs = Number(orgsText)
const log = createLogger('silent', new Masks())
const { database } = await openPostgres({ url, maxConnections: 2 }, log)
const ledgerProcess = new LedgerProcess(database, systemClock, log)
const ledger = new SqlLedger(database, systemClock, log, ledgerProcess)
let settled = 0
let from = 0
let isOver = false

async function client(number: number): Promise<void> {
  for (let turn = 0; !isOver; turn++) {
    const account = `org:bench-${(number * 7919 + turn) % orgs}`
    const spending = { caps: [{ account, level: 'org', capUsd: 1_000_000 } as const] }
    const hold = await ledger.reserve(`req_${process.pid}_${number}_${turn}`, spending, { atLeast: 0.001, atMost: 0.001 })
    if ('short' in hold) throw new Error('the cap is too small')
    await hold.settle(0.0005)
    settled++
  }
}

const clients = Array.from({ length: Number(atOnceText) }, (_, number) => client(number))
// All processes have begun by then.
setTimeout(() => {
  settled = 0
  from = performance.now()
}, 2_000)
setTimeout(() => (isOver = true), 2_000 + Number(secondsText) * 1_000)
await Promise.all(clients)
const rate = (settled * 1_000) / (performance.now() - from)
await ledgerProcess.stop()
await database.destroy()
console.log(rate)

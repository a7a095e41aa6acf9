import type { Kysely, Transaction } from 'kysely'
import { rollUps, addPacked, MetricSummary, packSummary } from '../../../core/stores.ts'
import type { MetricTable, Tables } from './tables.ts'

const key = ['level', 'first_minute', 'provider', 'model', 'writer'] as const
const rowsInStatement = 200

/** Writes rows anew, those of this writer only. */
export async function saveMetrics(database: Kysely<Tables>, rows: readonly MetricTable[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsInStatement) {
    await database
      .insertInto('metric')
      .values(rows.slice(from, from + rowsInStatement))
      .onConflict(conflict => conflict.columns(key).doUpdateSet(({ ref }) => ({ summary: ref('excluded.summary') })))
      .execute()
  }
}

/** The rows of a level that others wrote, from the first up to the last minute, exclusive, in pages. */
export async function* readMetrics(
  database: Kysely<Tables>,
  level: number,
  from: number,
  end: number,
  exceptWriter: string,
): AsyncGenerator<readonly MetricTable[]> {
  let last: MetricTable | undefined
  for (;;) {
    const after = last
    const rows = await database
      .selectFrom('metric')
      .selectAll()
      .where('level', '=', level)
      .where('first_minute', '>=', after?.first_minute ?? from)
      .where('first_minute', '<', end)
      .where('writer', '<>', exceptWriter)
      .$if(after !== undefined, query =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('first_minute', 'provider', 'model', 'writer'),
            '>',
            tuple(after!.first_minute, after!.provider, after!.model, after!.writer),
          ),
        ),
      )
      .orderBy('first_minute')
      .orderBy('provider')
      .orderBy('model')
      .orderBy('writer')
      .limit(rowsInStatement)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < rowsInStatement) return
    last = rows.at(-1)
  }
}

/**
 * Moves the oldest period that its level no longer keeps to the next level, or deletes it if there is none. Returns false when there is
 * nothing to do. Several gateways may do it at once: each row goes to the one that deletes it.
 */
export async function rollUpOldest(database: Kysely<Tables>, level: number, currentMinute: number, writer: string): Promise<boolean> {
  const { keptMinutes, minutes } = rollUps[level]!
  const next = rollUps[level + 1]
  const length = next?.minutes ?? minutes
  const end = Math.floor((currentMinute - keptMinutes) / length) * length
  const oldest = await database
    .selectFrom('metric')
    .select('first_minute')
    .where('level', '=', level)
    .where('first_minute', '<', end)
    .orderBy('first_minute')
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return false
  const { first_minute: first } = oldest
  await database.transaction().execute(async transaction => {
    const taken = await take(transaction, level, first)
    if (!next || taken.length === 0) return
    const target = Math.floor(first / length) * length
    const sums = new Map<string, { readonly row: MetricTable; readonly sum: MetricSummary }>()
    for (const row of [...taken, ...(await take(transaction, level + 1, target))]) add(sums, row)
    const rows = Array.from(sums.values(), ({ row, sum }) => ({
      ...row,
      level: level + 1,
      first_minute: target,
      writer,
      summary: packSummary(sum),
    }))
    await saveMetrics(transaction, rows)
  })
  return true
}

async function take(transaction: Transaction<Tables>, level: number, firstMinute: number): Promise<readonly MetricTable[]> {
  return await transaction.deleteFrom('metric').where('level', '=', level).where('first_minute', '=', firstMinute).returningAll().execute()
}

function add(sums: Map<string, { readonly row: MetricTable; readonly sum: MetricSummary }>, row: MetricTable): void {
  const summary = summaryOf(row)
  // A damaged row ends here, because nothing can read it.
  if (!summary) return
  const endpoint = `${row.provider}\n${row.model}`
  const known = sums.get(endpoint)
  if (known) known.sum.merge(summary)
  else sums.set(endpoint, { row, sum: summary })
}

/** The metrics in a row, unless it is damaged. */
export function summaryOf({ summary }: MetricTable): MetricSummary | undefined {
  const sum = new MetricSummary()
  try {
    addPacked(sum, summary)
    return sum
  } catch {
    return undefined
  }
}

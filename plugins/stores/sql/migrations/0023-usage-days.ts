import { sql, type Kysely } from 'kysely'

const day = sql`at - at % 86400000`
const columns = ['org', 'team', 'key_id', 'model', 'provider']
/** The columns that each kind of sum distinguishes. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  day: columns,
  'day-models': ['model', 'provider'],
  'day-keys': ['org', 'team', 'key_id'],
}

/** Sums of days, so that charts of months need not add up hours. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const names = sql.join(columns.map(name => sql.ref(name)))
  for (const [bucket, kept] of Object.entries(kinds)) {
    const values = sql.join(columns.map(name => (kept.includes(name) ? sql.ref(name) : sql`''`)))
    const groups = sql.join([day, ...kept.map(name => sql.ref(name))])
    await sql`
      insert into ${sql.table('usage')}
        (bucket, at, ${names}, requests, errors, input_tokens, cached_tokens, output_tokens, cost, unpriced)
      select ${sql.lit(bucket)}, ${day}, ${values},
        sum(requests), sum(errors), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(cost), sum(unpriced)
      from ${sql.table('usage')} where bucket = 'hour' group by ${groups}`.execute(database)
    await sql`
      insert into usage_latency (bucket, at, ${names}, duration, answers)
      select ${sql.lit(bucket)}, ${day}, ${values}, duration, sum(answers)
      from usage_latency where bucket = 'hour' group by ${groups}, duration`.execute(database)
  }
}

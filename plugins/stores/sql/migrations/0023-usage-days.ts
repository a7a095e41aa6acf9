import { sql, type Kysely } from 'kysely'

const dayMs = 86_400_000

/** Sums of days, so that charts of months need not add up hours. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const group = sql`org, team, key_id, model, provider`
  const day = sql`at - at % ${sql.lit(dayMs)}`
  await sql`
    insert into ${sql.table('usage')}
      (bucket, at, ${group}, requests, errors, input_tokens, cached_tokens, output_tokens, cost, unpriced)
    select 'day', ${day}, ${group},
      sum(requests), sum(errors), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(cost), sum(unpriced)
    from ${sql.table('usage')} where bucket = 'hour' group by ${day}, ${group}`.execute(database)
  await sql`
    insert into usage_latency (bucket, at, ${group}, duration, answers)
    select 'day', ${day}, ${group}, duration, sum(answers)
    from usage_latency where bucket = 'hour' group by ${day}, ${group}, duration`.execute(database)
}

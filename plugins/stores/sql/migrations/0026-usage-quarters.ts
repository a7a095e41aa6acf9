import { sql, type Kysely } from 'kysely'

const quarter = sql`at - at % 900000`
const names = sql.join(['org', 'team', 'key_id', 'model', 'provider'].map(name => sql.ref(name)))

/** Sums of quarters of an hour, as far as there are minutes. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    insert into ${sql.table('usage')}
      (bucket, at, ${names}, requests, errors, input_tokens, cached_tokens, output_tokens, cost, unpriced)
    select 'quarter', ${quarter}, ${names},
      sum(requests), sum(errors), sum(input_tokens), sum(cached_tokens), sum(output_tokens), sum(cost), sum(unpriced)
    from ${sql.table('usage')} where bucket = 'minute' group by ${quarter}, ${names}`.execute(database)
  await sql`
    insert into usage_latency (bucket, at, ${names}, duration, answers)
    select 'quarter', ${quarter}, ${names}, duration, sum(answers)
    from usage_latency where bucket = 'minute' group by ${quarter}, ${names}, duration`.execute(database)
}

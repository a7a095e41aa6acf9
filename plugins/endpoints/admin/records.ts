import { invalidRequest, type Reply } from '../../../core/index.ts'
import { isBySession, usageBuckets, usageGroups, type RecordFacts, type RecordFilter, type UsageBucket } from '../../../core/stores.ts'
import { hasRole, type AdminExchange, type AdminServices } from '../../../core/admin.ts'
import { askedSession } from './asked-session.ts'
import { audited } from './audit.ts'
import type { Keys } from './keys.ts'
import { pathId } from './path-id.ts'
import { pageParameters, Query } from './query.ts'
import { rankedList, rankedPages } from './ranked-records.ts'
import { recordObject } from './record-object.ts'
import { filterIn, rankingIn, recordParameters } from './record-query.ts'
import { forbidden, notFound } from './refusals.ts'
import { json, page, time } from './replies.ts'
import type { Stores } from './stores.ts'
import { usageObject } from './usage-object.ts'

export const usageParameters = [
  'from',
  'to',
  'bucket',
  'time_zone',
  'group_by',
  'org',
  'team',
  'user',
  'key',
  'session',
  'top',
  'latency',
] as const
const exportedAtOnce = 500
const maxUsageRows = 10_000
const maxTopGroups = 100
/** There are many sessions. */
const topSessions = 100
const dayMs = 86_400_000
/** Ten years. */
const maxZoneDays = 3_660

/** The routes of records and their sums. */
export class Records {
  readonly #stores: Stores
  readonly #keys: Keys

  constructor(stores: Stores, keys: Keys) {
    this.#stores = stores
    this.#keys = keys
  }

  async list(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, [...pageParameters, ...recordParameters])
    const ranking = rankingIn(query)
    const { pageLimit, ...wanted } = query.page('records', ranking && (() => undefined))
    const filter = filterIn(query, exchange.admin, await askedSession(query, exchange, gateway, this.#keys))
    if (ranking) return json(await rankedList(this.#stores.records, filter, ranking, query.text('cursor'), pageLimit, gateway.clock.now()))
    const found = filter ? await this.#stores.records.page(filter, wanted) : []
    return await page(
      'records',
      found,
      pageLimit,
      record => record,
      records => records.map(recordObject),
    )
  }

  async get(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, ['content'])
    const { admin } = exchange
    const id = pathId(exchange)
    const record = await this.#stores.records.find(id)
    if (!record || (admin.org !== undefined && record.org !== admin.org)) throw notFound('record', id)
    if (!query.flag('content')) return json(recordObject(record))
    if (!hasRole(admin, 'editor'))
      throw forbidden(`Reading content needs the role editor, and this admin token has the role ${admin.role}.`)
    const content = await this.#stores.records.content(record.id)
    await audited(this.#stores, exchange, gateway, { action: 'records.read-content', target: record.id, org: record.org })
    return json({
      ...recordObject(record),
      request: content?.request ?? null,
      response: content?.response ?? null,
      ...(content?.kept && { kept: content.kept }),
    })
  }

  /** JSON lines, the newest first, read from the store as fast as the client takes them. */
  async export(exchange: AdminExchange, gateway: AdminServices): Promise<Response> {
    const query = new Query(exchange.query, recordParameters)
    const ranking = rankingIn(query)
    const filter = filterIn(query, exchange.admin, await askedSession(query, exchange, gateway, this.#keys))
    const pages = filter ? (ranking ? await rankedPages(this.#stores.records, filter, ranking) : this.#pages(filter)) : emptyPages()
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { value, done } = await pages.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value.map(record => `${JSON.stringify(recordObject(record))}\n`).join('')))
      },
      cancel: async () => void (await pages.return(undefined)),
    })
    return new Response(body, { headers: { 'content-type': 'application/jsonl', 'cache-control': 'no-store' } })
  }

  async usage(exchange: AdminExchange, gateway: AdminServices): Promise<Reply> {
    const query = new Query(exchange.query, usageParameters)
    const { admin } = exchange
    const to = query.time('to') ?? gateway.clock.now()
    const from = query.time('from') ?? to - dayMs
    if (from >= to) throw invalidRequest("Invalid value for 'from': expected a time before 'to'.", 'from')
    const bucket = query.oneOf('bucket', usageBuckets) ?? 'hour'
    const timeZone = timeZoneIn(query, bucket)
    if (timeZone !== undefined && to - from > maxZoneDays * dayMs)
      throw invalidRequest(`Invalid value for 'from': with a time zone, expected at most ${maxZoneDays} days before 'to'.`, 'from')
    const groupBy = query.someOf('group_by', usageGroups)
    const top = query.number('top')
    if (top !== undefined && (!Number.isInteger(top) || top < 1 || top > maxTopGroups))
      throw invalidRequest(`Invalid value for 'top': expected a whole number from 1 to ${maxTopGroups}.`, 'top')
    const latency = query.flag('latency')
    const session = await askedSession(query, exchange, gateway, this.#keys)
    const bySession = isBySession({ groupBy, session })
    if (bySession && bucket === 'minute')
      throw invalidRequest(
        "Invalid value for 'bucket': expected hour, day or total, because sessions are not summed up by the minute.",
        'bucket',
      )
    if (bySession && latency)
      throw invalidRequest("Invalid value for 'latency': expected false, because times are not known by session.", 'latency')
    const org = query.text('org')
    const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
    const only = { org: admin.org ?? org, team: query.text('team'), user: query.text('user'), key: query.text('key'), session }
    const most = top ?? (groupBy.includes('session') ? topSessions : undefined)
    const filter = { from, to, bucket, timeZone, groupBy, top: most, latency, ...only }
    const rows = isHidden ? [] : await this.#stores.records.usage({ ...filter, limit: maxUsageRows + 1 })
    if (rows.length > maxUsageRows)
      throw invalidRequest(
        `This gives more than ${maxUsageRows} rows. Ask for a shorter period, a longer bucket, fewer groups, or only the top ones.`,
        'bucket',
      )
    return json({
      from: time(from),
      to: time(to),
      bucket,
      data: rows.map(row => usageObject(row, groupBy)),
    })
  }

  async *#pages(filter: RecordFilter): AsyncGenerator<readonly RecordFacts[], undefined> {
    let after: RecordFacts | undefined
    for (;;) {
      const records = await this.#stores.records.page(filter, { limit: exportedAtOnce, after })
      if (records.length > 0) yield records
      if (records.length < exportedAtOnce) return undefined
      after = records.at(-1)
    }
  }
}

function timeZoneIn(query: Query, bucket: UsageBucket): string | undefined {
  const name = query.text('time_zone')
  if (name === undefined) return undefined
  if (bucket !== 'day') throw invalidRequest("Invalid value for 'time_zone': expected it only with bucket=day.", 'time_zone')
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    throw invalidRequest("Invalid value for 'time_zone': expected a name such as Europe/Berlin.", 'time_zone')
  }
}

async function* emptyPages(): AsyncGenerator<readonly RecordFacts[], undefined> {
  // Nothing.
}

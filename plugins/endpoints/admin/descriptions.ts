import type { JsonObject } from '../../../core/index.ts'
import type { ParameterDescription, RouteDescription } from '../../../core/kit.ts'
import { mostRanked, recordFields, recordMeasures, snakeCase, usageBuckets } from '../../../core/stores.ts'

const text = { type: 'string' }
const failureReasons = recordFields.reason.choices
const recordSorts = ['created_at', ...recordMeasures.map(measure => snakeCase(measure))]
const bounds = recordMeasures.flatMap(measure => {
  const schema = { type: 'number', minimum: 0 }
  const name = snakeCase(measure)
  return [
    [`min_${name}`, { description: `The lowest ${name}, inclusive.`, schema }],
    [`max_${name}`, { description: `The highest ${name}, inclusive.`, schema }],
  ] as const
})
const explained: Readonly<Record<string, ParameterDescription>> = {
  limit: { description: 'The most entries on a page.', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  cursor: { description: 'The next_cursor of the previous page.', schema: text },
  id: { description: 'The id of the request, or of the response or decision that answered it.', schema: text },
  provider: { description: 'Only records with an attempt at this provider or, with model, at its model.', schema: text },
  status: { description: 'The HTTP status, or error for all of 400 and above.', schema: { type: ['integer', 'string'] } },
  failed: {
    description: 'true: only requests that failed, also those whose stream broke off.',
    schema: { enum: ['true', 'false'] },
  },
  reason: { description: 'Only those that failed by this.', schema: { enum: failureReasons } },
  error_code: { description: 'Only those with this code of the error.', schema: text },
  ...Object.fromEntries(bounds),
  sort: {
    description: `What to sort by. Only the newest ${mostRanked} records of a filter are sorted: see searched_from.`,
    schema: { enum: recordSorts, default: 'created_at' },
  },
  order: { description: 'The direction.', schema: { enum: ['desc', 'asc'], default: 'desc' } },
  from: { description: 'A time such as 2026-01-31T12:00:00Z, or seconds since 1970. Inclusive.', schema: text },
  to: { description: 'Exclusive.', schema: text },
  bucket: {
    description: 'The length of a bucket; total is one bucket. Minutes are kept for 7 days, and not by session.',
    schema: { enum: [...usageBuckets], default: 'hour' },
  },
  time_zone: {
    description: 'Where days begin, such as Europe/Berlin. Only with bucket=day.',
    schema: { type: 'string', default: 'UTC' },
  },
  top: {
    description:
      'The number of groups to keep: those with the most requests and attempts together or, by session, those that cost most. The rest is one row in each bucket, with others: true.',
    schema: { type: 'integer', minimum: 1, maximum: 100 },
  },
  latency: {
    description:
      'true: adds p50_ms and p95_ms, how long answered requests took, and attempt_p50_ms and attempt_p95_ms, how long successful attempts took.',
    schema: { enum: ['true', 'false'] },
  },
  search: { description: 'Only models whose name, alias or provider contains this text.', schema: text },
  group_by: {
    description:
      'Any of model, provider, key, team, org, session, separated by commas. By session, only requests of a session count, and top is 100 unless set.',
    schema: text,
  },
  session: { description: "Only this session, by its id or, together with key, by the client's own name for it.", schema: text },
  content: {
    description: 'true: adds the stored content. Needs the role editor, and is audited.',
    schema: { enum: ['true', 'false'] },
  },
  interval: { description: 'Such as 15m, 1h or 2 days.', schema: text },
}

interface Described {
  readonly summary: string
  readonly query?: readonly string[]
  readonly request?: JsonObject
  /** The reply: the name of the object, and its schema. */
  readonly shows?: Shown
  /** It replies with a page of these objects. */
  readonly lists?: Shown
  /** More members of the page. */
  readonly pageMembers?: JsonObject
  /** Default: 200. */
  readonly status?: number
  readonly contentType?: string
  /** Default: if it has a body. */
  readonly mayConflict?: boolean
}

/** By its name in the document. The same object each time. */
export type Shown = readonly [name: string, schema: JsonObject]

/** The OpenAPI description of a route. */
export function described({
  summary,
  query = [],
  request,
  shows,
  lists,
  pageMembers,
  status = 200,
  contentType = 'application/json',
  mayConflict = request !== undefined,
}: Described): RouteDescription {
  const refusal = (description: string): RouteDescription['replies'][number] => ({
    description,
    content: { 'application/json': { $ref: '#/components/schemas/Error' } },
  })
  return {
    summary,
    ...(query.length > 0 && {
      query: Object.fromEntries(query.map(name => [name, explained[name] ?? { description: `Only those of this ${name}.`, schema: text }])),
    }),
    ...(request && { request }),
    ...((shows ?? lists) && { schemas: Object.fromEntries([(shows ?? lists)!]) }),
    replies: {
      [status]: {
        description: 'Done.',
        content: { [contentType]: lists ? pageOf(lists, pageMembers) : shows ? referenceTo(shows) : { type: 'object' } },
      },
      400: refusal('A parameter or member is wrong; the message names it.'),
      401: refusal('The admin token is missing or unknown.'),
      403: refusal('The role of the admin token is not sufficient.'),
      404: refusal('It does not exist, or the admin token may not see it.'),
      ...(mayConflict && { 409: refusal('It conflicts with the present state.') }),
      429: refusal('Too many wrong admin tokens came from this address.'),
      503: refusal('A store is not available. The message says why.'),
    },
  }
}

function pageOf(each: Shown, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    required: ['data', 'has_more', 'next_cursor'],
    properties: {
      data: { type: 'array', items: referenceTo(each) },
      has_more: { type: 'boolean' },
      next_cursor: { type: ['string', 'null'] },
      ...more,
    },
  }
}

function referenceTo([name]: Shown): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

import {
  invalidRequest,
  type Endpoint,
  type Exchange,
  type GatewayError,
  type JsonObject,
  type Model,
  type Reply,
} from '../../../core/index.ts'
import { retryHeaders, wording } from '../../../core/kit.ts'
import type { Found } from './find.ts'
import { limitIn, onlyOne } from './limit.ts'
import type { Cut, ListForm } from './list.ts'

const usualLimit = 20
const maxLimit = 1_000

/** The list as clients of Anthropic's API read it. They generate text, so they see no other models. */
export const anthropicForm: ListForm = {
  entry: anthropicModel,
  auto: anthropicModel({ id: 'auto', created: 0 }),
  lists: ({ kind }) => kind === undefined,
  body: ({ entries, firstId, lastId, hasMore }) =>
    `{"data":[${entries.join()}],"first_id":${JSON.stringify(firstId)},"last_id":${JSON.stringify(lastId)},"has_more":${hasMore}}`,
}

/** What is not known is null where clients allow it. */
function anthropicModel({ id, created }: Pick<Model, 'id' | 'created'>, endpoint?: Endpoint): JsonObject {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(created * 1_000).toISOString().replace('.000Z', 'Z'),
    capabilities: null,
    deprecated_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: endpoint?.contextWindow ?? null,
    max_tokens: endpoint?.maxOutputTokens ?? null,
    retires_at: null,
  }
}

/** `first`: the endpoint whose facts stand for the model. */
export function anthropicDetail(found: Found, first: Endpoint | undefined): JsonObject {
  if (found.is === 'auto') return anthropicForm.auto
  if (found.is === 'listed') return anthropicModel(found.model, first)
  const { provider, model } = found.endpoint
  return anthropicModel({ id: `${provider}/${model}`, created: 0 }, first)
}

export function anthropicCut({ query }: Exchange): Cut {
  const after = onlyOne(query, 'after_id')
  const before = onlyOne(query, 'before_id')
  if (after !== undefined && before !== undefined)
    throw invalidRequest(wording`before_id and after_id exclude each other, but both were sent. Send one of them.`, 'before_id')
  return {
    limit: limitIn(query, usualLimit, maxLimit),
    after: after === undefined ? undefined : { parameter: 'after_id', id: after },
    before: before === undefined ? undefined : { parameter: 'before_id', id: before },
  }
}

/** True if the client speaks Anthropic's API. */
export function isAnthropic(headers: Pick<Headers, 'get'>): boolean {
  return Boolean(headers.get('anthropic-version'))
}

/** Only requests that read fail here: what is not one of these failures is the gateway's own. */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
}

export function anthropicError(error: GatewayError, requestId: string): Reply {
  const { status, message } = error
  const type = errorTypes[status] ?? 'api_error'
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': requestId, ...retryHeaders(error) },
    body: JSON.stringify({ type: 'error', error: { type, message }, request_id: requestId }),
  }
}

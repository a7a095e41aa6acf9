import type { Endpoint, Exchange, GatewayError, JsonObject, Model, Reply } from '../../../core/index.ts'
import { retryHeaders } from '../../../core/kit.ts'
import type { Found } from './find.ts'
import { limitIn, onlyOne } from './limit.ts'
import type { Cut, ListForm } from './list.ts'

const usualLimit = 50
const maxLimit = 1_000

const generation = ['generateContent', 'streamGenerateContent', 'countTokens']
const embedding = ['embedContent', 'batchEmbedContents']

/** The list as clients of Google's API read it. That API has no rerankers. */
export const googleForm: ListForm = {
  entry: googleModel,
  auto: googleModel({ id: 'auto' }),
  lists: ({ kind }) => kind !== 'rerank',
  body: ({ entries, lastId, hasMore }) =>
    `{"models":[${entries.join()}]${hasMore ? `,"nextPageToken":${JSON.stringify(tokenOf(lastId!))}` : ''}}`,
}

/** What is not known is left out, as there. */
function googleModel({ id }: Pick<Model, 'id'>, endpoint?: Endpoint): JsonObject {
  const { contextWindow, maxOutputTokens, kind } = endpoint ?? {}
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '001',
    displayName: id,
    ...(contextWindow !== undefined && { inputTokenLimit: contextWindow }),
    ...(maxOutputTokens !== undefined && { outputTokenLimit: maxOutputTokens }),
    supportedGenerationMethods: kind === 'embedding' ? embedding : generation,
  }
}

/** `first`: the endpoint whose facts stand for the model. */
export function googleDetail(found: Found, first: Endpoint | undefined): JsonObject {
  if (found.is === 'auto') return googleForm.auto
  if (found.is === 'listed') return googleModel(found.model, first)
  const { provider, model } = found.endpoint
  return googleModel({ id: `${provider}/${model}` }, first)
}

export function googleCut({ query }: Exchange): Cut {
  const token = onlyOne(query, 'pageToken')
  const id = token === undefined || token === '' ? undefined : Buffer.from(token, 'base64url').toString('utf8')
  return {
    limit: limitIn(query, usualLimit, maxLimit, 'pageSize'),
    after: id === undefined ? undefined : { parameter: 'pageToken', id },
  }
}

function tokenOf(id: string): string {
  return Buffer.from(id, 'utf8').toString('base64url')
}

/** True if the client speaks Google's API, at a path that others share. */
export function isGoogle(headers: Pick<Headers, 'get'>, query: URLSearchParams | undefined): boolean {
  return Boolean(headers.get('x-goog-api-key')) || Boolean(query?.get('key'))
}

/** Only requests that read fail here: what is not one of these failures is the gateway's own. */
const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  405: 'INVALID_ARGUMENT',
}

export function googleError(error: GatewayError): Reply {
  const { status: code, message } = error
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...retryHeaders(error) },
    body: JSON.stringify({ error: { code, message, status: statuses[code] ?? 'UNAVAILABLE' } }),
  }
}

import { hasFailedLater, type RequestRecord } from './record.ts'

/** Why an endpoint was passed over, as a sentence. */
export const passedOver: Readonly<Record<string, string>> = {
  tools: 'The model does not support tools.',
  images: 'The model does not support images.',
  files: 'The model does not support files.',
  'structured-output': 'Another endpoint has structured output.',
  'web-search': 'Another endpoint has web search.',
  dialect: 'Its API lacks a member of the request.',
  'context-management': 'Another endpoint has context management.',
  compaction: 'Another endpoint made the compaction in the conversation.',
  permission: 'The key does not allow it.',
  policy: 'A guardrail excludes it.',
  'context-window': 'The input is too long for it.',
  'attempt-limit': 'Enough others failed before it.',
  credit: "The key's remaining budget does not cover it.",
  circuit: 'It failed lately.',
  provider: 'Another endpoint of its provider failed.',
  queue: 'Too many requests were waiting for its provider.',
}

/** Why the first endpoint came before better ones. */
export const preferred: Readonly<Record<string, string>> = {
  state: 'The first one has the encrypted reasoning of the conversation.',
  affinity: 'The first one has a warm cache for the prompt.',
  exploration: 'The first one had few recent attempts, so it was tried again.',
}

/** How an attempt ended. */
export const outcomes: Readonly<Record<string, string>> = {
  ok: 'Answered',
  left: 'Abandoned, because the client left',
  outrun: 'Another endpoint was faster',
  'invalid-request': 'Refused the request',
  'not-found': 'Does not have the model',
  auth: 'Refused the credential',
  quota: 'The account has no quota left',
  'rate-limit': 'Rate limit',
  overloaded: 'Overloaded',
  unavailable: 'Not available',
  timeout: 'Too slow',
  network: 'The connection failed',
  protocol: 'The reply could not be understood',
  refused: 'Refused to answer',
  'context-length': 'The input was too long',
}

const statuses: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Key refused',
  402: 'No credit, or cap reached',
  403: 'Not allowed',
  404: 'Not found',
  413: 'Too large',
  422: 'Policy',
  424: 'Vendor failed',
  429: 'Rate limit',
  499: 'Client left',
  500: 'Gateway failed',
  502: 'Vendor failed',
  503: 'Not available',
  504: 'Too slow',
  529: 'Vendor overloaded',
}

/** The status of a record, which an answer that failed later keeps. */
export function recordStatus(record: RequestRecord): string {
  if (!hasFailedLater(record)) return statusText(record.status)
  return `${record.status} ${record.stream ? 'Stream failed' : 'Failed'}`
}

/** Such as "429 Rate limit". */
export function statusText(status: number): string {
  const text = statuses[status] ?? (status < 400 ? 'OK' : '')
  return `${status} ${text}`.trim()
}

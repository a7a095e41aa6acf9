import { parseJson, type FailureKind, type ProviderFailure } from '../../../core/index.ts'
import {
  failureKindOfStatus,
  failureReader,
  firstMatch,
  firstText,
  membersOf,
  retiredModel,
  type ErrorReply,
  type Patterns,
  type VendorError,
} from '../../../core/kit.ts'

/** "Common Errors", "Converse" and "ConverseStream" of the vendor's API reference, in lower case and without "exception". */
const kindsByType: Readonly<Record<string, FailureKind>> = {
  accessdenied: 'auth',
  expiredtoken: 'auth',
  incompletesignature: 'auth',
  internalfailure: 'unavailable',
  internalserver: 'unavailable',
  invalidclienttokenid: 'auth',
  invalidsignature: 'auth',
  missingauthenticationtoken: 'auth',
  modelerror: 'unavailable',
  modelnotready: 'overloaded',
  modelstreamerror: 'unavailable',
  modeltimeout: 'timeout',
  notauthorized: 'auth',
  optinrequired: 'auth',
  requestexpired: 'auth',
  resourcenotfound: 'not-found',
  servicequotaexceeded: 'quota',
  serviceunavailable: 'overloaded',
  throttling: 'rate-limit',
  toomanyrequests: 'rate-limit',
  unrecognizedclient: 'auth',
  validation: 'invalid-request',
}

/** Types that mean an invalid credential. */
const ofCredential = new Set(['expiredtoken', 'incompletesignature', 'invalidclienttokenid', 'invalidsignature', 'unrecognizedclient'])

/** Messages that say more than their type. Each model maker words them differently. */
const sentences: Partial<Record<FailureKind, Patterns<FailureKind>>> = {
  'invalid-request': [
    [
      /(input|prompt) is too long|input tokens exceeded|too many (input )?tokens|exceeds? .*(context|maximum (input )?(length|tokens|number of tokens))|maximum context length|maximum number of input tokens/i,
      'context-length',
    ],
    [/model identifier is invalid|on-demand throughput isn.t supported/i, 'not-found'],
    [retiredModel, 'not-found'],
    [/operation not allowed/i, 'auth'],
  ],
  auth: [[retiredModel, 'not-found']],
  'rate-limit': [[/per day|daily/i, 'quota']],
}

const reader = failureReader({ errorIn, kindOf })

export const { failureFrom } = reader

/** An exception inside a reply with status 200. */
export function failureInside(type: string, data: string): ProviderFailure {
  return reader.failureInside({ ...membersOf(parseJson(data)), __type: type }, data)
}

function errorIn(body: unknown, { headers }: ErrorReply): VendorError {
  const { __type: type, code, message, Message, originalMessage } = membersOf(body)
  const named = firstText(headers['x-amzn-errortype'], type, code)
  return {
    type: named,
    message: firstText(message, Message, originalMessage),
    ofCredential: named === undefined ? undefined : ofCredential.has(nameOf(named)),
  }
}

/** The type may have a namespace before it or an address after it. */
function nameOf(type: string): string {
  return type
    .split(':')[0]!
    .split('#')
    .at(-1)!
    .replace(/exception$/i, '')
    .toLowerCase()
}

function kindOf({ type, message }: VendorError, status: number | undefined): FailureKind {
  const name = type === undefined ? undefined : nameOf(type)
  const byStatus = status === undefined ? 'unavailable' : failureKindOfStatus(status)
  const kind = (name === undefined ? undefined : kindsByType[name]) ?? byStatus
  return firstMatch(sentences[kind] ?? [], message) ?? kind
}

import {
  failureKindOfStatus,
  isObject,
  parseJson,
  ProviderFailure,
  retiredModel,
  retryAfterMs,
  type FailureKind,
  type UpstreamHeaders,
} from '../../../core/index.ts'

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

/** Sentences that say more than their type. The models' makers word them, so the same thing is said in many ways. */
const sentences: Partial<Record<FailureKind, readonly (readonly [RegExp, FailureKind])[]>> = {
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

/** A reply of status 400 and above. */
export function failure(status: number, headers: UpstreamHeaders, body: string): ProviderFailure {
  const { type, message } = errorIn(body)
  const kind = kindOf(headers['x-amzn-errortype'] ?? type, message, failureKindOfStatus(status))
  return new ProviderFailure({
    kind,
    message: message ?? `The provider answered with status ${status}.`,
    status,
    retryAfterMs: retryAfterMs(headers),
    upstream: body,
  })
}

/** An exception inside a reply of status 200. */
export function failureInside(type: string, body: string): ProviderFailure {
  const { message } = errorIn(body)
  const kind = kindOf(type, message, 'unavailable')
  return new ProviderFailure({
    kind,
    message: message ?? `The provider broke off its reply (${type}).`,
    upstream: body,
  })
}

/** The type may come with a namespace in front or an address behind it. */
function kindOf(type: string | undefined, message: string | undefined, otherwise: FailureKind): FailureKind {
  const name = type
    ?.split(':')[0]!
    .split('#')
    .at(-1)!
    .replace(/exception$/i, '')
    .toLowerCase()
  const kind = (name === undefined ? undefined : kindsByType[name]) ?? otherwise
  return sentences[kind]?.find(([pattern]) => message !== undefined && pattern.test(message))?.[1] ?? kind
}

function errorIn(body: string): { readonly type?: string; readonly message?: string } {
  const parsed = parseJson(body)
  const fields = isObject(parsed) ? parsed : {}
  const type = fields['__type'] ?? fields['code']
  const message = [fields['message'], fields['Message'], fields['originalMessage']].find(each => typeof each === 'string' && each !== '')
  return { ...(typeof type === 'string' && { type }), ...(typeof message === 'string' && { message }) }
}

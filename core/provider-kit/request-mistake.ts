import type { UpstreamRequest } from '../contracts/adapter.ts'
import { isObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { ProviderMistake } from './provider-mistake.ts'

const token = /^[\w!#$%&'*+.^`|~-]+$/
/** Characters that a header may not contain. */
const unsendable = /[^\t\u{20}-\u{7e}\u{80}-\u{ff}]/u

/** Throws for what is no request at all. The rest shows when it is sent. */
export function checkRequest(request: UpstreamRequest, from: 'prepare' | 'authorize'): void {
  if (typeof (request as UpstreamRequest | undefined | null)?.url !== 'string') throw noRequest(request, from)
}

function noRequest(request: unknown, from: string): ProviderMistake {
  const isLater = isPending(request)
  // Nothing awaits the promise, so its rejection must not end the process.
  if (isLater) Promise.resolve(request).catch(() => {})
  const place = isObject(request) && !isLater ? ' with a bad `url`' : ''
  const got = isLater ? 'a promise (leave out `async`)' : place ? kindOf((request as { readonly url?: unknown }).url) : kindOf(request)
  const expected = place ? 'a string' : 'an object with method, url, headers and body'
  return new ProviderMistake(`returned from \`${from}\` a request${place}: expected ${expected}, got ${got}`, { isUnsent: true })
}

/** The reason why a request could not be sent, if it is the plugin's mistake. `prepared`: before its credential was added. */
export function requestMistake(request: UpstreamRequest, prepared: UpstreamRequest): ProviderMistake | undefined {
  const problem = requestProblem(request)
  if (problem === undefined) return undefined
  const from = requestProblem(prepared) === problem ? 'prepare' : 'authorize'
  return new ProviderMistake(`returned from \`${from}\` a request with a bad ${problem}`, { isUnsent: true })
}

/** Quotes nothing but the names of headers. */
function requestProblem({ method, url, headers, body }: UpstreamRequest): string | undefined {
  if (typeof method !== 'string' || !token.test(method)) return `\`method\`: expected one such as POST, got ${another(method)}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return '`url`: expected one that starts with http:// or https://, got another string'
  if (!isObject(headers)) return `\`headers\`: expected an object of strings, got ${kindOf(headers)}`
  for (const [name, value] of Object.entries(headers)) {
    if (!token.test(name)) return '`headers`: expected the name of a header, got another string'
    if (typeof value !== 'string') return `\`headers\`: expected a string as "${name}", got ${kindOf(value)}`
    if (unsendable.test(value))
      return `\`headers\`: expected "${name}" without line breaks and characters beyond Latin-1, got another string`
  }
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return undefined
  return `\`body\`: expected a string or a Uint8Array, got ${kindOf(body)}`
}

function another(value: unknown): string {
  return typeof value === 'string' ? 'another string' : kindOf(value)
}

import type { Masks } from '../../../core/foundation/masks.ts'

/** Members and parameters that hold secrets of callers or vendors, which no option names. */
const secretNames =
  '(?:proxy[-_])?authorization|(?:x[-_])?api[-_]?key|apikey|key|(?:access|refresh|id|auth|bearer|session|security)[-_]?token|client[-_]?(?:secret|assertion)|assertion|password|passwd|secret|signature|sig|credentials?|cookie|x-amz-[a-z-]+|x-goog-(?:signature|credential|security-token)'
const secretMember = new RegExp(`^(?:${secretNames.replace('|key|', '|')})$`, 'i')
const secretParameter = new RegExp(`((?:^|[?&#])(?:${secretNames})=)[^&#\\s"']+`, 'gi')
const userInfo = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@\s"']+@/gi

/** Headers that say nothing about who asks. The value of any other one may be a credential. */
const plainHeader =
  /^(?:accept(?:-.*)?|age|anthropic-(?:version|beta|ratelimit-.*)|cache-control|content-.*|date|etag|openai-(?:version|processing-ms|model|beta)|retry-after|server|traceparent|transfer-encoding|user-agent|vary|via|x-ratelimit-.*|x-request-id|request-id)$/i

export const hidden = '***'

/** True for a member whose value is never shown. */
export function isSecretMember(name: string): boolean {
  return secretMember.test(name)
}

/** A text without the secrets of the config, the keys of the gateway, and what an address or a form says under the name of a secret. */
export function withoutSecrets(text: string, masks: Masks): string {
  return masks.apply(text).replace(userInfo, `$1${hidden}@`).replace(secretParameter, `$1${hidden}`)
}

/** Headers as they may be shown. */
export function withoutCredentials(headers: object): Readonly<Record<string, unknown>> {
  const shown = Object.entries(headers).filter(([, value]) => value !== undefined)
  return Object.fromEntries(shown.map(([name, value]) => [name, plainHeader.test(name) ? value : hidden]))
}

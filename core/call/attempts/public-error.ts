import type { ProviderFailure } from '../../contracts/provider.ts'
import { GatewayError, isImageErrorCode } from '../../foundation/errors.ts'
import type { Masks } from '../../foundation/masks.ts'
import { own, wording, Wording } from '../../foundation/wording.ts'
import { withoutAccountIds } from './account-ids.ts'
import { isTransient, failurePolicyOf, type PublicForm } from './failure-policy.ts'

/** The most characters of a vendor's message or body that reach a caller. */
const longest = 4_096
/** Search far more characters for secrets, so that the cut at `longest` never leaves half of one. */
const maxSearchedLength = 16 * longest

/** A provider's failure as the caller sees it: the vendor's message, without the gateway's secrets and account ids. */
export function publicError(failure: ProviderFailure, provider: string, masks: Masks, operation: 'generation' | 'decision'): GatewayError {
  const { [operation]: form, privateMessage, allowsImageCode } = failurePolicyOf(failure)
  const { advisesClient, ...members } = form
  return new GatewayError({
    ...members,
    // Plugins are not always type-checked, so the code itself is checked too.
    code: allowsImageCode && isImageErrorCode(failure.code) ? failure.code : form.code,
    message: privateMessage ? wording`${own(privateMessage(provider))}` : naming(provider, form, failure, masks),
    reason: { kind: form.status === 504 ? 'timeout' : form.status < 424 ? 'request' : 'vendor' },
    ...(advisesClient && (isTransient(failure) ? { transient: true } : { final: true })),
    retryAfterMs: failure.retryAfterMs,
    upstreamError: privateMessage || failure.upstream === undefined ? undefined : publicText(failure.upstream, masks),
    cause: failure,
  })
}

/** Causes on the provider's side, by the status that the caller gets. The other statuses are about the request. */
const deeds: Readonly<Record<number, string>> = { 424: 'failed', 429: 'limits the rate', 504: 'took too long' }

function naming(provider: string, { status }: PublicForm, { message, unquotedMessage }: ProviderFailure, masks: Masks): Wording {
  const told = publicText(message, masks)
  const deed = deeds[status]
  const beginning = `The provider "${provider}" ${deed ?? 'refused the request'}:`
  const isNamed = (text: string): boolean => text.includes(`"${provider}"`)
  const unquoted = unquotedMessage !== undefined && (deed === undefined || isNamed(unquotedMessage)) ? unquotedMessage : undefined
  return new Wording(
    deed === undefined || isNamed(told) ? told : `${beginning} ${told}`,
    unquoted ?? `${beginning} ${unquotedMessage ?? '…'}`,
  )
}

function publicText(text: string, masks: Masks): string {
  return withoutAccountIds(masks.apply(text.slice(0, maxSearchedLength)))
    .slice(0, longest)
    .toWellFormed()
}

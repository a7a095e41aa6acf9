import type { FailureKind, ProviderFailure } from '../contracts/provider.ts'
import { GatewayError, isImageErrorCode } from '../foundation/errors.ts'
import type { Masks } from '../foundation/masks.ts'
import { withoutAccountIds } from './account-ids.ts'

export interface PublicForm {
  readonly status: number
  readonly type: string
  readonly code: string
}

export type PublicForms = Readonly<Record<FailureKind, PublicForm>>

/** What a caller is told of a provider's failure, once no other candidate is left: docs/protocol/errors.md#failures-of-vendors. */
export const generationForms: PublicForms = {
  'invalid-request': { status: 400, type: 'invalid_request_error', code: 'invalid_value' },
  'not-found': { status: 400, type: 'invalid_request_error', code: 'model_not_found' },
  'context-length': { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  refused: { status: 400, type: 'invalid_request_error', code: 'invalid_prompt' },
  'rate-limit': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  timeout: { status: 504, type: 'server_error', code: 'provider_timeout' },
  auth: { status: 424, type: 'provider_error', code: 'provider_error' },
  quota: { status: 424, type: 'provider_error', code: 'provider_error' },
  overloaded: { status: 424, type: 'provider_error', code: 'provider_error' },
  unavailable: { status: 424, type: 'provider_error', code: 'provider_error' },
  network: { status: 424, type: 'provider_error', code: 'provider_error' },
  protocol: { status: 424, type: 'provider_error', code: 'provider_error' },
}

/** Characters of a vendor's sentence or body that reach a caller. */
const longest = 4_096
/** Characters among which secrets are looked for: far more, so that none is cut in two at the end. */
const longestSearched = 16 * longest

/** The vendor's sentence goes to the caller without the gateway's secrets and account ids. What it says of the gateway's own account stays inside. */
export function publicError(failure: ProviderFailure, provider: string, masks: Masks, forms: PublicForms): GatewayError {
  const form = forms[failure.kind]
  const own = failure.kind === 'auth' || failure.kind === 'quota'
  const message = own ? ownAccountMessage(failure.kind === 'auth', provider) : tellable(failure.message, masks)
  return new GatewayError({
    ...form,
    code: isAboutRequest(failure) && isImageErrorCode(failure.code) ? failure.code : form.code,
    message,
    // A status that says nothing of the vendor's trouble needs the advice; clients know what to do with the others.
    ...(form.status === 424 && (failure.transient ? { transient: true } : { final: true })),
    ...(failure.kind === 'not-found' && { param: 'model' }),
    retryAfterMs: failure.retryAfterMs,
    upstreamError: own || failure.upstream === undefined ? undefined : tellable(failure.upstream, masks),
    cause: failure,
  })
}

/** Only then can an image be at fault. Plugins are not always type-checked, so the code itself is checked too. */
function isAboutRequest({ kind }: ProviderFailure): boolean {
  return kind === 'invalid-request' || kind === 'refused'
}

function tellable(text: string, masks: Masks): string {
  return withoutAccountIds(masks.apply(text.slice(0, longestSearched)))
    .slice(0, longest)
    .toWellFormed()
}

function ownAccountMessage(refused: boolean, provider: string): string {
  return refused
    ? `The provider "${provider}" refused the gateway's credentials. Its operator has to check them.`
    : `The gateway's account at the provider "${provider}" has no credit left. Its operator has to top it up.`
}

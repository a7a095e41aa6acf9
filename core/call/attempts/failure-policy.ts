import type { FailureKind, ProviderFailure } from '../../contracts/provider.ts'

/** The gateway's reaction to failures of one kind, and the caller's error if no other endpoint answers. */
export interface FailurePolicy {
  /** The next try: the provider's next credential and then the next endpoint, the next endpoint at once, or nothing. */
  readonly retry: 'credential' | 'endpoint' | 'never'
  /**
   * Set where the provider's other endpoints would fail, too. They are then asked after those of other providers: `provider` at once,
   * `account` when no credential is left.
   */
  readonly concerns?: 'provider' | 'account'
  /** How long the credential rests when the vendor sends no `retry-after`. Absent: the credential is not to blame. */
  readonly coolDownMs?: number
  /**
   * The same request may succeed soon, unless the provider says otherwise (`ProviderFailure.transient`). The gateway then asks the last
   * endpoint again, and an error that advises the client tells it to retry.
   */
  readonly transient?: boolean
  /** Repeat the request once without waiting, at a provider with a single credential that has not failed yet. */
  readonly repeatAtOnce?: boolean
  /** Counts against the provider in the metrics. Otherwise the request or the setup was wrong. */
  readonly isFault?: boolean
  /** The vendor may have done the work and may bill it, so a spend cap counts the attempt as spent. */
  readonly mayBeBilled?: boolean
  /** The failure concerns the operator's account at the vendor: the caller gets this sentence instead of the vendor's. */
  readonly privateMessage?: (provider: string) => string
  /** The provider may name a more precise code for an image. */
  readonly allowsImageCode?: boolean
  /** docs/protocol/errors.md#failures-of-vendors */
  readonly generation: PublicForm
  /** docs/protocol/decisions.md#errors */
  readonly decision: PublicForm
}

/** How a caller sees a failure. */
export interface PublicForm {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly param?: string
  /** Tell the client whether to retry (`x-should-retry`). Clients know what to do with the other statuses. */
  readonly advisesClient?: boolean
}

const providerError: PublicForm = { status: 424, type: 'provider_error', code: 'provider_error', advisesClient: true }
const rateLimited: PublicForm = { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' }
const timedOut: PublicForm = { status: 504, type: 'server_error', code: 'provider_timeout' }
const refusedDecision: PublicForm = { status: 422, type: 'invalid_request_error', code: 'invalid_request' }

/**
 * Everything that depends on the kind of a failure. Which status is which kind: `provider-kit/failure-kind.ts` and each provider's
 * `failure.ts`.
 */
export const failurePolicies: Readonly<Record<FailureKind, FailurePolicy>> = {
  'invalid-request': {
    retry: 'never',
    allowsImageCode: true,
    generation: { status: 400, type: 'invalid_request_error', code: 'invalid_value' },
    decision: refusedDecision,
  },
  'not-found': {
    retry: 'endpoint',
    generation: { status: 400, type: 'invalid_request_error', code: 'model_not_found', param: 'model' },
    // The caller's name was right: it resolved here. The setup is wrong.
    decision: providerError,
  },
  'context-length': {
    retry: 'endpoint',
    generation: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
    decision: refusedDecision,
  },
  refused: {
    retry: 'endpoint',
    allowsImageCode: true,
    generation: { status: 400, type: 'invalid_request_error', code: 'invalid_prompt' },
    decision: refusedDecision,
  },
  'rate-limit': {
    retry: 'credential',
    coolDownMs: 20_000,
    isFault: true,
    generation: rateLimited,
    decision: rateLimited,
  },
  timeout: {
    retry: 'endpoint',
    isFault: true,
    mayBeBilled: true,
    generation: timedOut,
    decision: timedOut,
  },
  auth: {
    retry: 'credential',
    concerns: 'account',
    coolDownMs: 300_000,
    isFault: true,
    privateMessage: provider => `The provider "${provider}" refused the gateway's credentials. The operator has to check them.`,
    generation: providerError,
    decision: providerError,
  },
  quota: {
    retry: 'credential',
    concerns: 'account',
    coolDownMs: 300_000,
    isFault: true,
    privateMessage: provider => `The gateway's account at the provider "${provider}" has no credit left. The operator has to top it up.`,
    generation: providerError,
    decision: providerError,
  },
  overloaded: {
    retry: 'endpoint',
    concerns: 'provider',
    transient: true,
    isFault: true,
    generation: providerError,
    decision: providerError,
  },
  unavailable: {
    retry: 'endpoint',
    concerns: 'provider',
    transient: true,
    isFault: true,
    generation: providerError,
    decision: providerError,
  },
  network: {
    retry: 'credential',
    concerns: 'provider',
    transient: true,
    // Often a keep-alive socket that the vendor had closed. With several credentials, the next one finds that out.
    repeatAtOnce: true,
    isFault: true,
    generation: providerError,
    decision: providerError,
  },
  protocol: {
    retry: 'endpoint',
    isFault: true,
    mayBeBilled: true,
    generation: providerError,
    decision: providerError,
  },
}

/** Plugins are not always type-checked: an unknown kind counts as `protocol`. */
export function failurePolicyOf({ kind }: Pick<ProviderFailure, 'kind'>): FailurePolicy {
  return isKnownKind(kind) ? failurePolicies[kind] : failurePolicies.protocol
}

export function isKnownKind(kind: unknown): boolean {
  return typeof kind === 'string' && Object.hasOwn(failurePolicies, kind)
}

/** True if the same request may succeed soon: what the provider says, or what its kind implies. */
export function isTransient(failure: ProviderFailure): boolean {
  return failure.transient ?? failurePolicyOf(failure).transient ?? false
}

/** True if the failure counts against the endpoint: what the provider says, or what its kind implies. */
export function isFault(failure: ProviderFailure): boolean {
  return failure.isFault ?? failurePolicyOf(failure).isFault ?? false
}

/** See `FailurePolicy.concerns`. A provider that lets a request wait without any reply may do so with all of its models. */
export function concernOf(failure: ProviderFailure): FailurePolicy['concerns'] {
  const isSilent = failure.kind === 'timeout' && (failure.progress === 'none' || failure.progress === 'connected')
  return isSilent ? 'provider' : failurePolicyOf(failure).concerns
}

/**
 * Failures that may be the provider's or only one model's: an unknown name, a page instead of a reply, silence after the head, the status of
 * a timeout. A second model tells.
 */
export function mayBeOfProvider({ kind, progress, status }: ProviderFailure): boolean {
  return kind === 'not-found' || kind === 'protocol' || (kind === 'timeout' && (progress === 'replied' || status !== undefined))
}

/** No connection was made: that a single model failed so is enough to open the circuit of its provider. */
export function isUnreachable({ kind, progress }: ProviderFailure): boolean {
  return kind === 'network' ? progress === undefined || progress === 'none' : kind === 'timeout' && progress === 'none'
}

/**
 * Vendors also send these statuses for a single request: a firewall's page, a model that the account may not use, an answer that the
 * remaining credit does not cover. Only repeated failures then show that the credential is to blame.
 */
export function mayBeOfRequest({ kind, status, ofCredential }: ProviderFailure): boolean {
  return ofCredential !== true && (kind === 'auth' || kind === 'quota') && (status === 402 || status === 403)
}

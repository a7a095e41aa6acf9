import { Compactor } from '../../contracts/compactor.ts'
import { wire } from '../../framework/container.ts'
import type { CompactionItem } from '../../contracts/items.ts'
import type { Credential } from '../../contracts/provider.ts'
import type { GatewayOnlyField, GenerationRequest, UpstreamRequestBody } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { Caller } from '../../contracts/run-context.ts'
import { Sealer } from '../../contracts/sealer.ts'
import type { ProviderMistake } from '../../provider-kit/provider-mistake.ts'
import type { Candidate } from '../../routing/plan.ts'
import { compactionOf } from '../../routing/compaction-holders.ts'
import { accountOfState, holderOfState, openState } from '../../routing/state.ts'
import { noCompactor } from '../compaction/no-compactor.ts'
import type { Draft, Raise } from './draft.ts'
import { lowerEffort } from './effort.ts'
import { lowerExtras } from './extras.ts'
import { lowerFormat } from './format.ts'
import { limitOutput, lowerContextManagement, lowerParameters, lowerTier } from './parameters.ts'
import { lowerTools } from './tools.ts'
import { recentValues } from '../../runtime/recent-values.ts'

/** A request fitted to one endpoint, the warnings about what changed, and the raises for its answer. */
export interface Lowered {
  readonly request: UpstreamRequestBody
  readonly warnings: readonly Warning[]
  readonly raises: readonly Raise[]
  /** Of the provider's plugin: the attempt fails. */
  readonly mistake?: ProviderMistake
}

/** Longer cache keys are not remembered: callers choose their length. */
const maxRememberedKeyLength = 512

/** In order: tools before the lowerings that depend on them. */
const lowerings: readonly ((draft: Draft) => void)[] = [
  lowerExtras,
  lowerTools,
  lowerFormat,
  lowerEffort,
  lowerParameters,
  lowerContextManagement,
]

/** Members that only the gateway may see. */
const ownMembers = new Set<string>(
  Object.keys({
    routing: true,
    session_id: true,
    user: true,
  } satisfies Record<GatewayOnlyField, true>),
)

/** A copy. Most requests have no such member, and copying them whole takes a fifth of the time. */
function withoutOwnMembers(request: GenerationRequest): Draft['request'] {
  for (const name of ownMembers)
    if (name in request)
      return Object.fromEntries(Object.entries(request).filter(([member]) => !ownMembers.has(member))) as Draft['request']
  return { ...request }
}

/** Fits a request to an endpoint, and removes members that only the gateway may see. */
export class Lowering {
  readonly #sealer: Sealer
  readonly #bindsCompactions: boolean
  readonly #cacheKeys = recentValues<string, string>(1_000)

  static {
    wire(this, [Sealer, Compactor])
  }

  constructor(sealer: Sealer, compactor: Compactor) {
    this.#sealer = sealer
    this.#bindsCompactions = compactor !== noCompactor
  }

  /** Credentials in their usual order, but first the one whose account the conversation's state belongs to. */
  withStateFirst(
    inTurn: readonly (Credential | undefined)[],
    request: GenerationRequest,
    { endpoint, provider }: Candidate,
    { key }: Caller,
  ): readonly (Credential | undefined)[] {
    const bound = this.#bindsCompactions ? compactionOf(request) : undefined
    if (bound) return this.#readers(inTurn, bound, { endpoint, provider }, key.org)
    if (inTurn.length === 1) return inTurn
    const accounts = inTurn.flatMap(credential => credential?.account ?? [])
    const account = accountOfState(this.#sealer, { org: key.org, provider: provider.id, model: endpoint.model }, accounts, request.input)
    return account === undefined ? inTurn : inTurn.toSorted((a, b) => Number(b?.account === account) - Number(a?.account === account))
  }

  /** The credentials whose account made the compaction: others would answer without the conversation. Even one that rests. */
  #readers(
    inTurn: readonly (Credential | undefined)[],
    compaction: CompactionItem,
    { endpoint, provider }: Candidate,
    org: string,
  ): readonly (Credential | undefined)[] {
    const reads = (credential: Credential | undefined): boolean =>
      holderOfState(this.#sealer, compaction, [{ org, provider: provider.id, account: credential?.account, model: endpoint.model }]) === 0
    const able = inTurn.filter(reads)
    if (able.length > 0) return able
    const resting = provider.credentials?.find(reads)
    return resting ? [resting] : inTurn
  }

  /** `outputLimit`: output tokens that the spend cap allows. Undefined if there is no limit. */
  lower(
    request: GenerationRequest,
    { endpoint, provider }: Candidate,
    credential: Credential | undefined,
    caller: Caller,
    outputLimit?: number,
  ): Lowered {
    const warnings: Warning[] = []
    const body = withoutOwnMembers(request)
    const state = openState(
      this.#sealer,
      { org: caller.key.org, provider: provider.id, account: credential?.account, model: endpoint.model },
      body.input,
    )
    if (state.dropped > 0)
      warnings.push({ param: 'input', message: `${state.dropped} items carried state from another provider or model, which was left out` })
    body.input = state.items
    body.prompt_cache_key = this.#cacheKey(caller, request.prompt_cache_key ?? request.user)
    const draft: Draft = { request: body, endpoint, provider, keyId: caller.key.id, warnings, raises: [] }
    if (body.service_tier !== undefined) lowerTier(draft, caller.spending !== undefined)
    if (outputLimit !== undefined) limitOutput(draft, outputLimit)
    for (const lower of lowerings) lower(draft)
    return draft
  }

  /** Vendors see an HMAC, because the caller's key might name a user. The default is the API key (docs/protocol/request.md#members). */
  #cacheKey({ key, owner }: Caller, given: string | undefined): string {
    const text = given === undefined ? `key:${key.id}` : `given:${owner}:${given}`
    let mac = this.#cacheKeys.get(text)
    if (mac === undefined) {
      mac = this.#sealer.mac('cache-key', text).toString('base64url').slice(0, 32)
      if (text.length <= maxRememberedKeyLength) this.#cacheKeys.set(text, mac)
    }
    return mac
  }
}

import type { GatewayError } from '../foundation/errors.ts'
import type { Endpoint } from './catalog.ts'
import type { DecisionRequest } from './decision.ts'
import type { JsonObject } from '../foundation/json.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { PassedOver } from './log-sink.ts'
import type { PolicyField } from './policy.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'
import type { Sight } from './sight.ts'

/**
 * Checks or changes requests and answers, and decides which endpoints may see them. Guardrails run in plugin order, those that send content
 * elsewhere after all others. Answers go through them in reverse. A throw, a timeout and a return value that this contract does not allow
 * are failures of the guardrail: see `onFailure`.
 */
export interface Guardrail {
  /** Unique among guardrails. A key names it in `guardrails`; errors and the log do, too. */
  readonly name: string
  /** The policy fields that this guardrail enforces. A request whose policy turns on a field that no plugin enforces is refused. */
  readonly enforces: readonly PolicyField[]
  /** `refuse`: the request fails with 503, and nothing more of its answer is delivered. `allow`: it continues unchecked. There is no default. */
  readonly onFailure: 'refuse' | 'allow'
  /** The time limit for each call of `input`, `decision` and `item`. The other functions are synchronous. */
  readonly timeoutMs: number
  /** A remote guardrail sees content, so the caller's `zdr` and `hipaa` policies apply to it too. */
  readonly seesContent: Sight
  /** `key`: only for API keys that name it in `guardrails`. Default: `always`. */
  readonly applies?: 'always' | 'key'
  /**
   * Describes what is wrong with a policy's settings for a field in `enforces`. Called when somebody sets them, within `timeoutMs`. Without
   * this function, the field takes no settings. `open` must still refuse requests if it cannot use the stored settings.
   */
  settingsProblem?(field: PolicyField, settings: JsonObject): Maybe<SettingsProblem | undefined>
  /**
   * Merges the settings that several policy sources of one level have for a field in `enforces` into settings at least as strict as each.
   * `{}` stands for no settings. If `settingsProblem` would refuse one of them, return that one: requests are then refused. Called when a
   * request needs it, and cached, so it must be fast and synchronous. Without this function, sources with different settings refuse the
   * request with 422; a throw refuses it with 503.
   */
  strictestSettings?(field: PolicyField, settings: readonly JsonObject[]): JsonObject
  /** Runs once per request. The session may keep state between input and output. Return `undefined` to skip the request at no cost. */
  open(context: RunContext): GuardSession | undefined
}

/** A mistake in the settings of a policy field, shown as a 400 of the admin API. */
export interface SettingsProblem {
  /** The member at fault, such as `custom[0].pattern`. Empty: the settings as a whole. */
  readonly path: string
  /** A sentence for whoever sets them. */
  readonly message: string
}

/**
 * At least one function is required. `signal` is aborted when nobody waits for the call any longer: the client left, the run took too long,
 * or `timeoutMs` has passed. Then stop working.
 */
export interface GuardSession {
  /** Checks the whole conversation, before an endpoint is chosen. Called again whenever the gateway's tools have added to it. */
  input?(request: GenerationRequest, signal: AbortSignal): Maybe<GuardVerdict>
  /** Checks a decision, before its model is looked up. A session with `input` or `route` but without `decision` refuses all decisions. */
  decision?(request: DecisionRequest, signal: AbortSignal): Maybe<GuardVerdict<DecisionRequest>>
  /** True if this endpoint may see the request. Called for every candidate. */
  route?(endpoint: Endpoint, request: GenerationRequest): boolean
  /**
   * The error for the caller if `route` rejects every endpoint. `others`: endpoints of the same models that the request did not name, and
   * that would serve it if only this guardrail objects. Default: a 422.
   */
  refusal?(others: readonly Endpoint[], refused: RefusedRoute): GatewayError
  /** Called when a part or a call of the answer opens. Return `undefined` to leave it unfiltered. */
  output?(channel: OutputChannel): OutputFilter | undefined
  /**
   * Checks a whole item of the answer before the client sees any of it, even in a stream. Use it where `output` is not enough: for a check
   * that is asynchronous, or that needs the whole text. Called for one item after the other, before the filters of `output`.
   */
  item?(item: AnswerItem, signal: AbortSignal): Maybe<ItemVerdict>
}

/** A request for which `route` left no endpoint. */
export interface RefusedRoute {
  /** The endpoints that `route` rejected. */
  readonly rejected: readonly Endpoint[]
  /** Endpoints of the same models that do not get this request for another reason. The caller is permitted to use them. */
  readonly passedOver: readonly {
    /** Not in `rejected`. */
    readonly endpoint: Endpoint
    /** `policy` if another guardrail rejects it. */
    readonly reason: PassedOver
  }[]
}

/** The place of a text in an answer. */
export interface OutputChannel {
  /** `data`: a string of an item that is neither a message, reasoning nor a call, such as a search query. */
  readonly kind: 'text' | 'refusal' | 'reasoning' | 'arguments' | 'custom-input' | 'data'
  /** The text is a JSON document: replacements must keep it valid. */
  readonly json: boolean
}

/** A complete item of the answer. It has at least one text. */
export interface AnswerItem {
  /** Its position in the answer, among all items that the model made, of all choices. */
  readonly index: number
  /** `foreign`: an item that only one dialect knows. */
  readonly kind: 'message' | 'reasoning' | 'call' | 'search' | 'foreign'
  /** The function that a call names. */
  readonly name?: string | undefined
  /** In their order. `ItemVerdict.replace` has one for each. */
  readonly texts: readonly AnswerText[]
}

/** One text of an item of the answer, such as a part of a message or the arguments of a call. */
export interface AnswerText extends OutputChannel {
  /** Such as `content[0].text`. */
  readonly path: string
  /** The whole text. */
  readonly text: string
}

/** `replace` has one text for each of the item's, in their order. An empty one removes the part. */
export type ItemVerdict =
  | { readonly pass: true }
  | {
      /** Goes to the caller in the place of the texts. */
      readonly replace: readonly string[]
    }
  | {
      /** Ends the answer with this error. */
      readonly refuse: GatewayError
    }

/** `replace` takes the whole request, not a part of it. Requests are frozen: copy what changes. */
export type GuardVerdict<R = GenerationRequest> =
  | { readonly pass: true }
  | {
      /** Goes on in the place of the request. */
      readonly replace: R
    }
  | {
      /** The caller's error. */
      readonly refuse: GatewayError
    }

/** Gets the text of one part in pieces, and returns what to deliver. It may hold back text until it has seen more. Synchronous. */
export interface OutputFilter {
  /** Called for each piece, in order. `refuse` ends the answer. */
  push(text: string): string | { readonly refuse: GatewayError }
  /** Called at the end of the part. Returns the text held back. */
  flush(): string | { readonly refuse: GatewayError }
}

import type { Maybe } from '../runtime/pending.ts'
import type { Endpoint } from './catalog.ts'
import type { DecisionReply, DecisionRequest } from './decision.ts'
import type { EmbeddingReply, EmbeddingRequest } from './embedding.ts'
import type { FinishReason, GenerationEvent, TokenUsage } from './events.ts'
import type { GenerationRequest } from './request.ts'
import type { RerankReply, RerankRequest } from './rerank.ts'
import type { RetrievalKind } from './retrieval.ts'
import type { InputCount } from './route.ts'
import type { RunContext } from './run-context.ts'
import type { Sight } from './sight.ts'

/** `count`: counts the input of a generation, and asks no model. */
export type CallKind = 'generation' | 'decision' | 'count' | RetrievalKind

/**
 * Answers a call in the place of a model, such as from a cache, or looks at what the model answers. It stands inside the guards: it sees
 * the request after the guardrails on input and after the plan, before anything is reserved, and the answer before the guardrails on output.
 * Wrappers are opened one after the other, in plugin order, until one has an answer. Those before it look at that answer.
 *
 * A wrapper never fails a call. After a throw, a time-out, or a return value that this contract does not allow, the call goes on without
 * it, and the log names the plugin. Only an answer that goes wrong after its first event ends the call, with a 500.
 *
 * Experimental: this contract may change in any version.
 */
export interface CallWrapper {
  /** Unique among wrappers, such as `response-cache`. Errors in the log name it. */
  readonly name: string
  /** A wrapper that may not see a caller's content because of `zdr` or `hipaa` is not opened. Nor if the agreement excludes a feature of the request. */
  readonly seesContent: Sight
  /** True if it keeps anything of a request or an answer after the call. It is then not opened for callers whose policy has `logging` off. */
  readonly keepsContent: boolean
  /** The time limit for opening it, and for each wait for more of an answer that it gives. */
  readonly timeoutMs: number
  /** Opens a generation. Return undefined to leave the call alone. Stop working when `signal` aborts: nobody waits for an answer any longer. Without this function, generations pass. */
  generation?(call: GenerationToWrap, context: RunContext, signal: AbortSignal): Maybe<GenerationWrap | undefined>
  /** Like `generation`, for decisions. Without this function, they pass. */
  decision?(call: DecisionToWrap, context: RunContext, signal: AbortSignal): Maybe<DecisionWrap | undefined>
  /** Like `generation`, for the counts of input tokens that callers ask for. Without this function, they pass. */
  count?(call: CountToWrap, context: RunContext, signal: AbortSignal): Maybe<CountWrap | undefined>
  /** Without an agreement that names the kind, not opened for callers whose policy has `zdr` or `hipaa` on, unless it sees content locally. */
  embedding?(call: EmbeddingToWrap, context: RunContext, signal: AbortSignal): Maybe<EmbeddingWrap | undefined>
  /** Like `embedding`, for rerankings. Without this function, they pass. */
  rerank?(call: RerankToWrap, context: RunContext, signal: AbortSignal): Maybe<RerankWrap | undefined>
}

/** A call that is about to be made. Frozen. */
export interface CallToWrap<Kind extends CallKind, Request> {
  /** Equals the name of the function that gets it. */
  readonly kind: Kind
  /** As the model would get it: with the conversation before it, and as the guardrails on input left it. */
  readonly request: Request
  /** Those that would be asked, in order: at least one. The caller may use them, and they keep its policy. */
  readonly endpoints: readonly Endpoint[]
}

/** The argument of `CallWrapper.generation`. */
export type GenerationToWrap = CallToWrap<'generation', GenerationRequest>
/** The argument of `CallWrapper.decision`. */
export type DecisionToWrap = CallToWrap<'decision', DecisionRequest>
/** The argument of `CallWrapper.count`: the request whose input is counted. */
export type CountToWrap = CallToWrap<'count', GenerationRequest>
/** The argument of `CallWrapper.embedding`. */
export type EmbeddingToWrap = CallToWrap<'embedding', EmbeddingRequest>
/** A reranking that a call wrapper may answer or look at. */
export type RerankToWrap = CallToWrap<'rerank', RerankRequest>

/**
 * The work of a wrapper in one call: it answers, or it looks. With `answer`, its other functions are not called. An answer makes no attempt
 * and costs nothing. It goes through the guardrails on output, is stored, delivered and recorded as a model's.
 */
export interface CallWrap<Answer, Answered> {
  /** Given in the place of a model. Absent: the wrapper only looks. */
  readonly answer?: Answer
  /** Called once the whole answer has passed the guardrails, is stored and delivered. Nobody waits for it. */
  end?(answered: Answered): Maybe<void>
  /** Called in place of `end`: the call failed, the client left, or the answer was cut short. What came until then is no answer. */
  fail?(): void
}

/**
 * Its answer is a list of events, or yields them one by one or in lists, and ends with one `finish`, whose reason is not `pause`. Core
 * ignores `model`, `warning` and `usage`. It drops the state of vendors, such as that of `reasoning-state`, since it is bound to the
 * account that made it. A `compaction`, and a call of a function that is not the caller's own in a request with tools of the gateway, are
 * mistakes: such an answer is not used or, after its first event, ends in a 500. To a request with `choices`, it gives as many, with a
 * `choice` between them.
 */
export interface GenerationWrap extends CallWrap<
  readonly GenerationEvent[] | AsyncIterable<GenerationEvent | readonly GenerationEvent[]>,
  AnsweredGeneration
> {
  /**
   * Called with each event of the answer, also of later rounds, as the model gave it. Each round ends with its `usage`, if known, and
   * `finish`; a round that pauses has no `finish`. A `choice` stands between two choices, also where each was asked for alone; the `usage`
   * then counts all of them. Synchronous.
   */
  write?(event: GenerationEvent): void
}

/** Its answer has one answer per question. Core reports a usage of 0. */
export type DecisionWrap = CallWrap<DecisionReply, AnsweredDecision>

/** Its answer is the number of input tokens. */
export type CountWrap = CallWrap<InputCount, AnsweredCount>

/** Its answer has one vector per input. Core reports a usage of 0. */
export type EmbeddingWrap = CallWrap<EmbeddingReply, AnsweredRetrieval<EmbeddingReply>>
/** The work of a call wrapper in one reranking. */
export type RerankWrap = CallWrap<RerankReply, AnsweredRetrieval<RerankReply>>

interface AnsweredCall {
  /** The name of the wrapper that answered. Undefined: the model did. */
  readonly by: string | undefined
}

/** The argument of `end` of a `GenerationWrap`. */
export interface AnsweredGeneration extends AnsweredCall {
  /** The endpoint that answered or, if a wrapper did, the first one of the plan. */
  readonly endpoint: Endpoint
  /** Why the answer ended; with several choices, the last one. */
  readonly finish: FinishReason
  /** Of all rounds and choices together. All 0 if a wrapper answered. */
  readonly usage: TokenUsage
  /** In US dollars; null if unknown. */
  readonly costUsd: number | null
  /** True if the gateway ran tools for it: its events call functions of the gateway, so they are no answer to give to another call. */
  readonly ranTools: boolean
}

/** The argument of `end` of a `DecisionWrap`. */
export interface AnsweredDecision extends AnsweredCall {
  /** The endpoint that answered or, if a wrapper did, the first one of the plan. */
  readonly endpoint: Endpoint
  /** Has one answer per question. */
  readonly reply: DecisionReply
}

/** The argument of `end` of a `CountWrap`. */
export interface AnsweredCount extends AnsweredCall {
  /** As the caller gets it. */
  readonly count: InputCount
}

/** The argument of `end` of an `EmbeddingWrap` or a `RerankWrap`. */
export interface AnsweredRetrieval<Reply> extends AnsweredCall {
  /** The endpoint that answered or, if a wrapper did, the first one of the plan. */
  readonly endpoint: Endpoint
  /** To the whole batch, even if the vendor got it in several requests. */
  readonly reply: Reply
}

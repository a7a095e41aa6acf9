import type { TokenNeed } from '../billing/token-need.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CallSteps } from '../call/steps.ts'
import type { LiveAnswer } from '../call/live-answer.ts'
import type { LoadedWrapper } from '../call/loaded-wrapper.ts'
import type { Operation } from '../call/operation.ts'
import type { AnsweredRetrieval as Answered, CallToWrap } from '../contracts/call-wrapper.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { RetrievalKind, RetrievalRequest } from '../contracts/retrieval.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { TokenUsage } from '../contracts/events.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { applyInputGuards, type OpenGuard } from '../guards/input-guards.ts'
import type { Reservation } from '../limits/reservation.ts'
import type { Candidate } from '../routing/plan.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import type { AnsweredRetrieval } from './attempts.ts'
import type { KindOfRetrieval, RetrievalReply } from './kind.ts'
import type { RetrievalServices } from './retrievals.ts'
import { countedUsage } from './usage.ts'
import { inWords, textsIn } from './words.ts'

interface Asked<Request> {
  readonly request: Request
  /** The same in the words of a generation. */
  readonly words: GenerationRequest
}

interface Planned<Request> extends Asked<Request> {
  readonly candidates: readonly Candidate[]
}

/** An answer, and what it took. */
export interface Retrieved<Reply> {
  readonly reply: Reply
  readonly candidate: Candidate
  readonly usage: TokenUsage
  readonly costUsd: number | null
  readonly attempts: number
}

/** Embeddings or a reranking: its own part of each step of a call. */
export class Retrieval<Request extends RetrievalRequest, Reply extends RetrievalReply> implements CallSteps<
  Asked<Request>,
  Planned<Request>,
  AnsweredRetrieval<Reply>,
  Retrieved<Reply>,
  AnsweredRetrieval<Reply>
> {
  readonly kind: RetrievalKind
  readonly isCounted = true
  readonly operation: Operation
  readonly context: RunContext
  readonly #of: KindOfRetrieval<Request, Reply>
  readonly #services: RetrievalServices
  readonly #scope: RequestScope
  readonly #asked: Request
  readonly #bodyBytes: number
  readonly #memory: LiveAnswer
  #reservation: Reservation | undefined
  #isDelivered = false
  #isKept = false

  constructor(
    of: KindOfRetrieval<Request, Reply>,
    services: RetrievalServices,
    scope: RequestScope,
    request: Request,
    bodyBytes = Infinity,
  ) {
    this.#of = of
    this.kind = of.kind
    this.#services = services
    this.#scope = scope
    this.#asked = request
    this.#bodyBytes = bodyBytes
    this.operation = services.calls.open(scope, request.model)
    this.context = this.operation.context
    this.#memory = services.live.open(scope.caller.owner, reason => scope.cancellation.abort(reason))
  }

  need(): TokenNeed {
    return this.#of.need(this.#asked)
  }

  check(): Maybe<void> {
    // A token is at least one byte, and so is a listed one with its comma.
    return this.#bodyBytes <= maxUncheckedBytes ? undefined : this.#checkLong()
  }

  async #checkLong(): Promise<void> {
    await this.#services.limit.check(this.#of.texts(this.#asked), this.kind === 'embedding' ? 'input' : 'documents')
    // What follows up to the vendor takes its own turn.
    await nextTurn()
  }

  extend(): Asked<Request> {
    const texts = this.#of.texts(this.#asked)
    return { request: this.#asked, words: inWords(this.#asked, texts.map(textOf)) }
  }

  async guardInput({ request, words }: Asked<Request>, guards: readonly OpenGuard[]): Promise<Asked<Request>> {
    const texts = this.#of.texts(request)
    const isRead = guards.some(({ session }) => session.input)
    const decoded = isRead && texts.some(isListed) ? await this.#services.tokens.decoded(texts, this.#tokenizers(request.model)) : undefined
    const shown = decoded ? inWords(request, decoded) : words
    const checked = await applyInputGuards(shown, guards, this.context)
    const { extra: _, user: __, ...known } = request
    // Guardrails see the texts alone, so they cannot check other members.
    const isChecked = guards.some(({ session }) => session.input || session.route)
    const plain = isChecked ? (known as unknown as Request) : request
    if (checked.input === shown.input) return { request: plain, words: checked }
    return { request: this.#of.withTexts(plain, textsIn(checked, texts.length)), words: checked }
  }

  plan({ request, words }: Asked<Request>, guards: readonly OpenGuard[]): Maybe<Planned<Request>> {
    const { context, kind } = this
    const planning = this.#services.planner.plan(words, { context, guards, kind, record: this.#scope.record })
    const planned = (candidates: readonly Candidate[]): Planned<Request> => ({
      request,
      words,
      candidates: this.#able(candidates, request),
    })
    return isPending(planning) ? planning.then(planned) : planned(planning)
  }

  /** Those whose provider has this kind of call, and that can read the input. Throws a 400 if none can. */
  #able(candidates: readonly Candidate[], request: Request): readonly Candidate[] {
    const { kind, isServedBy, excess, takesTokens, texts } = this.#of
    const serving = candidates.filter(({ provider }) => isServedBy(provider))
    if (serving.length === 0) {
      const { provider, endpoint } = candidates[0]!
      const what = kind === 'embedding' ? 'make embeddings' : 'rerank'
      throw invalidRequest(
        wording`The provider "${own(provider.id)}" does not ${own(what)}, so "${endpoint.model}" cannot be asked there.`,
        'model',
      )
    }
    const fitting = serving.filter(({ provider, endpoint }) => !excess(request, provider, endpoint))
    if (fitting.length === 0) throw excess(request, serving[0]!.provider, serving[0]!.endpoint)!
    if (!texts(request).some(isListed)) return fitting
    const able = fitting.filter(({ provider, endpoint }) => takesTokens(provider) || endpoint.tokenizer !== undefined)
    if (able.length > 0) return able
    throw invalidRequest(
      wording`Invalid value for 'input': "${serving[0]!.endpoint.model}" takes no lists of tokens, and the gateway does not have its tokenizer. Send text.`,
      'input',
    )
  }

  async reserve({ request, candidates }: Planned<Request>): Promise<void> {
    this.#reservation = await this.#services.reservations.reserve(this.context, () => this.#of.need(request), candidates)
    this.operation.hold(this.#reservation)
  }

  toWrap({ request, candidates }: Planned<Request>): CallToWrap<RetrievalKind, Request> {
    return { kind: this.kind, request, endpoints: candidates.map(({ endpoint }) => endpoint) }
  }

  take(answer: unknown, { plugin }: LoadedWrapper, { request, candidates }: Planned<Request>): AnsweredRetrieval<Reply> {
    const reply = this.#of.checked(answer, request, plugin)
    return { reply, replies: [], candidate: candidates[0]! }
  }

  async answer({ request, candidates }: Planned<Request>, given: AnsweredRetrieval<Reply> | undefined): Promise<AnsweredRetrieval<Reply>> {
    const { operation } = this
    if (given) {
      operation.answeredFree()
      this.#scope.record.answerId = this.context.id
      return given
    }
    const { attempts, tokens } = this.#services
    const reservation = this.#reservation
    const answered = await attempts.first(reservation?.affordable(candidates) ?? candidates, {
      kind: this.#of,
      requestFor: async ({ provider, endpoint }) => {
        const texts = this.#of.texts(request)
        if (this.#of.takesTokens(provider) || !texts.some(isListed)) return request
        return this.#of.withTexts(request, await tokens.decoded(texts, [endpoint.tokenizer]))
      },
      operation,
      surroundings: this.#scope,
      reservation,
      memory: this.#memory,
    })
    const { endpoint } = answered.candidate
    operation.answeredBy(endpoint)
    this.#scope.record.answerId = this.context.id
    for (const [index, reply] of answered.replies.entries())
      operation.bill.add(
        countedUsage(reply) ?? (await this.#estimated(request, answered.candidate, index, answered.replies.length)),
        endpoint.price,
      )
    return answered
  }

  /** Of one request of a batch. All of them together are as long as the caller's. */
  async #estimated(request: Request, { provider, endpoint }: Candidate, index: number, count: number): Promise<TokenUsage> {
    const part = count === 1 ? request : this.#of.parts(request, provider, endpoint)[index]!
    return await this.#services.unreported.of({
      input: () => this.#of.need(part),
      // A context window is that of one input.
      endpoint: { ...endpoint, contextWindow: undefined },
      reported: undefined,
      said: [],
      maxOutputTokens: 0,
    })
  }

  deliver({ reply, candidate }: AnsweredRetrieval<Reply>): Retrieved<Reply> {
    this.#isDelivered = true
    const { record } = this.#scope
    const { request, response } = this.#of.recorded(this.#asked, reply)
    const { usage, costUsd } = this.operation.total
    record.content(request, response)
    return { reply, candidate, usage, costUsd, attempts: record.attempts.length }
  }

  outcome({ reply, candidate }: AnsweredRetrieval<Reply>): Omit<Answered<Reply>, 'by'> {
    return { endpoint: candidate.endpoint, reply }
  }

  fail(thrown: unknown): GatewayError {
    return this.operation.failed(thrown)
  }

  over(): void {
    if (!this.#isDelivered) return this.#memory.close()
    // Whoever writes the answer later says so before this.
    setImmediate(() => {
      if (!this.#isKept) this.#memory.close()
    })
  }

  /** See `Embedded.keepUntil`. */
  keepUntil(done: Promise<unknown>, abandon: () => void): void {
    this.#isKept = true
    this.#memory.complete(abandon)
    const close = (): void => this.#memory.close()
    done.then(close, close)
  }

  /** Of all endpoints of the model, since the guardrails come before the plan. */
  #tokenizers(model: string): ReturnType<RetrievalServices['names']> {
    return this.#services.names(model, this.kind)
  }
}

/** Tokens have at least one byte. */
const maxUncheckedBytes = 100_000

function isListed(text: unknown): boolean {
  return typeof text !== 'string'
}

function textOf(text: string | readonly number[]): string {
  return typeof text === 'string' ? text : ''
}

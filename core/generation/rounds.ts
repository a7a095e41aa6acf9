import { Bill } from '../billing/cost.ts'
import type { Onlookers } from '../call/onlookers.ts'
import { isNoUsage, type FinishReason, type TokenUsage } from '../contracts/events.ts'
import type { Item } from '../contracts/items.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { Sealer } from '../contracts/sealer.ts'
import { GatewayError } from '../foundation/errors.ts'
import type { Ids } from '../foundation/ids.ts'
import type { Cancellation } from '../runtime/cancellation.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { applyInputGuards } from '../guards/input-guards.ts'
import { refuseNewFeatures } from '../guards/new-features.ts'
import type { Candidate } from '../routing/plan.ts'
import { sealState, type Seal } from '../routing/state.ts'
import type { Answer } from './answer.ts'
import { CallRepair } from './call-repair.ts'
import type { CallToCheck } from './checked-calls.ts'
import { Choices, endOf } from './choices.ts'
import type { ModelCall } from './model-call.ts'
import type { Prepared } from './preparation.ts'
import type { Heard, ModelReply } from './model-reply.ts'
import type { RaisedEvent } from './raised-event.ts'
import type { LoadedTools } from './tools/loaded-tools.ts'
import type { ToolRounds } from './tools/tool-rounds.ts'

const maxPauses = 8

export interface RoundsScope {
  readonly prepared: Pick<Prepared, 'request' | 'extended' | 'guards'>
  /** The endpoints to ask, in order, if they are not those of the call. */
  readonly candidates?: readonly Candidate[] | undefined
  /** The last reply of a model that summarized the conversation before. */
  readonly summary?: ModelReply | undefined
  /** Absent without tools of the gateway. */
  readonly tools: ToolRounds | undefined
  readonly loaded: LoadedTools
  readonly sealer: Sealer
  readonly ids: Ids
  readonly context: RunContext
  readonly answer: Answer
  readonly sink: GenerationSink
  /** Called when a reply begins. */
  readonly begin: (reply: ModelReply) => void
  /** Aborts the answer. */
  readonly cancellation: Cancellation
  /** The wrappers that look at the answer. */
  readonly onlookers: Onlookers | undefined
}

/**
 * The replies that make up one answer, most often a single one. The first chooses the candidate. If it pauses, the same candidate is asked
 * to go on. After calls of the gateway's tools it is the first one, but others may follow.
 */
export class Rounds {
  readonly #scope: RoundsScope
  /** The request without what the answer has added. */
  #request: GenerationRequest
  /** The request of the current round. */
  #asked: GenerationRequest
  #reply: ModelReply | undefined
  /** If they are asked one by one. */
  #choices: Choices | undefined
  #pauses = 0
  #finish: FinishReason = 'stop'
  #isCut = false
  #hasRepaired = false
  /** The destination of replies. */
  readonly #heard: Heard

  constructor(scope: RoundsScope) {
    this.#scope = scope
    this.#request = this.#asked = scope.prepared.request
    this.#heard = scope.onlookers ? new SeenAnswer(scope.answer, scope.onlookers) : scope.answer
  }

  /** Why the answer ended. */
  get finish(): FinishReason {
    return this.#finish
  }

  /** True if the answer ended before the model did: the credit covered no more output, or the model paused too often. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** True if the model was asked once more for a call. */
  get hasRepaired(): boolean {
    return this.#hasRepaired
  }

  get ranTools(): boolean {
    return this.#scope.tools?.hasRun === true
  }

  /** Of the latest round. */
  get reply(): ModelReply | undefined {
    return this.#reply
  }

  /** True while a reply has begun and is not over. */
  get isUnderWay(): boolean {
    return this.#choices ? !this.#choices.isOver : this.#reply?.isBilled === false
  }

  /** Ends the replies under way. The output so far is billed. Undefined if there is nothing to wait for. */
  leave(): Maybe<unknown> {
    return this.#choices ? this.#choices.leave() : this.#reply?.leave()
  }

  /** Asks until the answer is complete. Returns the candidate that gave the last reply. */
  run(call: ModelCall): Promise<Candidate> {
    return this.#scope.tools ? this.#withTools(this.#scope.tools, call) : this.#ask(call, this.#request, this.#candidates(call))
  }

  #candidates(call: ModelCall): readonly Candidate[] {
    return this.#scope.candidates ?? call.candidates
  }

  #ask(call: ModelCall, request: GenerationRequest, among: readonly Candidate[]): Promise<Candidate> {
    this.#asked = request
    const opening = call.open(request, among)
    // The answer ends incomplete before a later round that the spend cap does not cover.
    const { summary } = this.#scope
    return opening.then(
      reply => this.#begun(reply, call),
      (this.#reply ?? summary) &&
        (error => {
          if (!(error instanceof GatewayError) || error.status !== 402) throw error
          if (!this.#reply) this.#scope.begin(summary!)
          this.#finish = 'length'
          this.#isCut = true
          return among[0]!
        }),
    )
  }

  #begun(reply: ModelReply, call: ModelCall): Maybe<Candidate> {
    const { answer, tools, begin } = this.#scope
    this.#reply = reply
    answer.sealBy(this.#seal(reply))
    begin(reply)
    tools?.open(reply.attempt.candidate.endpoint)
    const { choices = 1 } = this.#request
    if (choices > reply.choices) return this.#oneByOne(reply, choices, call)
    const relaying = this.#relay(reply)
    return relaying ? relaying.then(() => this.#over(reply, call)) : this.#over(reply, call)
  }

  /** Relays the reply. Undefined if the whole reply has arrived. */
  #relay(reply: ModelReply): Promise<void> | undefined {
    try {
      return reply.relay(this.#heard, this.#scope.sink)?.catch(error => Promise.reject(reply.fail(error)))
    } catch (error) {
      throw reply.fail(error)
    }
  }

  /** Each choice is a reply of its own. */
  async #oneByOne(first: ModelReply, count: number, call: ModelCall): Promise<Candidate> {
    const { answer, sink, cancellation, onlookers } = this.#scope
    const choices = (this.#choices = new Choices(first, count, { call, cancellation, said: answer.transcript }))
    const total = new Bill()
    for (let reply = first; ;) {
      await choices.relay(this.#heard, sink)
      reply.end()
      await reply.bill()
      const finish = reply.finish!
      const waiting = answer.callsToCheck(finish)
      // The others are asked already, so that nothing is asked once more.
      if (waiting) await this.#repair(reply, call).check(waiting)
      if (reply.usage) total.add(reply.usage, undefined)
      this.#finish = endOf(finish)
      this.#isCut ||= reply.isCut || finish === 'pause'
      if (choices.isLast) break
      this.#heard.write({ type: 'choice', reason: this.#finish })
      this.#reply = reply = await choices.next()
      answer.sealBy(this.#seal(reply))
    }
    choices.end()
    if (onlookers) endRound(isNoUsage(total.usage) ? undefined : total.usage, this.#finish, onlookers)
    return first.attempt.candidate
  }

  #over(reply: ModelReply, call: ModelCall): Maybe<Candidate> {
    reply.end()
    const billing = reply.bill()
    return isPending(billing) ? billing.then(costUsd => this.#billed(costUsd, reply, call)) : this.#billed(billing, reply, call)
  }

  #billed(costUsd: number | null, reply: ModelReply, call: ModelCall): Maybe<Candidate> {
    const waiting = this.#scope.answer.callsToCheck(reply.finish!)
    return waiting ? this.#checked(waiting, costUsd, reply, call) : this.#ended(costUsd, reply, call)
  }

  /** Shows the calls of a reply once they are right. */
  async #checked(waiting: readonly CallToCheck[], costUsd: number | null, reply: ModelReply, call: ModelCall): Promise<Candidate> {
    const { isCut, costUsd: lastUsd } = await this.#repair(reply, call).checkOrAsk(waiting, costUsd, this.#asked)
    return await this.#ended(lastUsd, reply, call, isCut)
  }

  #repair(reply: ModelReply, call: ModelCall): CallRepair {
    const { answer, ids, sink, context, prepared } = this.#scope
    const asks = (again: ModelReply): void => {
      this.#reply = again
      this.#hasRepaired = true
    }
    return new CallRepair(reply, { call, answer, ids, sink, context, quotes: prepared.guards.length === 0, asks })
  }

  /** `isCut`: the credit did not cover to ask once more. */
  #ended(costUsd: number | null, reply: ModelReply, call: ModelCall, isCut = false): Maybe<Candidate> {
    const finish = isCut ? 'length' : reply.finish
    const { candidate } = reply.attempt
    // A reply that still pauses after the last round stops there.
    this.#finish = endOf(finish!)
    this.#isCut = isCut || reply.isCut || finish === 'pause'
    if (this.#scope.onlookers) endRound(reply.usage, finish!, this.#scope.onlookers)
    if ((finish !== 'pause' || this.#request.choices !== undefined) && !this.#scope.tools) return candidate
    call.roundOver(costUsd)
    return this.#goOn(finish!, candidate, call)
  }

  async #goOn(finish: FinishReason, candidate: Candidate, call: ModelCall): Promise<Candidate> {
    if (finish === 'pause') {
      if (++this.#pauses === maxPauses) return candidate
      const request = await this.#resumed()
      call.nextRound(request)
      return await this.#ask(call, request, [candidate])
    }
    if (!(await this.#scope.tools!.run(finish, candidate.endpoint, call))) return candidate
    const request = await this.#continued()
    call.nextRound(request)
    return await this.#ask(call, request, [candidate, ...this.#candidates(call).filter(other => other !== candidate)])
  }

  async #withTools(tools: ToolRounds, call: ModelCall): Promise<Candidate> {
    const added = await tools.begin(call)
    if (added.length > 0) this.#request = await this.#grown(added)
    return await this.#ask(call, this.#request, this.#candidates(call))
  }

  /** The next request after a pause. */
  async #resumed(): Promise<GenerationRequest> {
    const { answer, tools } = this.#scope
    if (tools?.hasRun) return await this.#continued()
    // Items are sealed when they are shown, for the reply that they come from.
    const checking = answer.settled()
    if (checking) await checking
    return { ...this.#request, input: [...this.#request.input, ...answer.transcript.items()] }
  }

  /** The next request after tools ran. */
  async #continued(): Promise<GenerationRequest> {
    const { answer } = this.#scope
    const checking = answer.settled()
    if (checking) await checking
    return await this.#grown(answer.shown.items())
  }

  /** The request with more of the conversation. Guardrails see the output of tools before a model does. */
  async #grown(items: readonly Item[]): Promise<GenerationRequest> {
    const { prepared, context, loaded } = this.#scope
    const { guards, extended } = prepared
    const grown = { ...extended, input: [...extended.input, ...items] }
    const checked = guards.length > 0 ? await applyInputGuards(grown, guards, context) : grown
    refuseNewFeatures(checked, prepared.request, context.caller.policy)
    return loaded.readable(checked)
  }

  #seal({ attempt }: ModelReply): Seal {
    const { context, sealer } = this.#scope
    const { candidate, credential } = attempt
    const { endpoint } = candidate
    const binding = { org: context.caller.key.org, provider: endpoint.provider, account: credential?.account, model: endpoint.model }
    return (kind, opaque) => sealState(sealer, binding, kind, opaque)
  }
}

/** An answer that somebody looks at. */
class SeenAnswer implements Heard {
  readonly #answer: Heard
  readonly #onlookers: Onlookers

  constructor(answer: Heard, onlookers: Onlookers) {
    this.#answer = answer
    this.#onlookers = onlookers
  }

  write(event: RaisedEvent): void {
    this.#answer.write(event)
    if (event.type !== 'suppressed-call') this.#onlookers.write(event)
  }

  pause(): void {
    this.#answer.pause()
  }
}

function endRound(usage: TokenUsage | undefined, finish: FinishReason, onlookers: Onlookers): void {
  if (usage) onlookers.write({ type: 'usage', usage })
  if (finish !== 'pause') onlookers.write({ type: 'finish', reason: finish })
}

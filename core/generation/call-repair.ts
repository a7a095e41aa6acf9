import type { FinishReason } from '../contracts/events.ts'
import type { MessageItem } from '../contracts/items.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { GenerationSink } from '../contracts/route.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import type { Ids } from '../foundation/ids.ts'
import type { Answer } from './answer.ts'
import { retry, type CallToCheck } from './checked-calls.ts'
import { ItemStage } from './item-stage.ts'
import type { ModelCall } from './model-call.ts'
import type { Heard, ModelReply } from './model-reply.ts'
import { inputIn } from './open-call.ts'
import type { CallCheck, RaisedEvent, StagedEvent } from './raised-event.ts'
import { Transcript } from './transcript.ts'

/** A longer input is not repeated to the model. */
const maxQuoted = 20_000

export interface RepairScope {
  readonly call: ModelCall
  readonly answer: Answer
  readonly ids: Ids
  readonly sink: GenerationSink
  readonly context: RunContext
  /** No guardrail has to see what the model reads, so it may read its own words. */
  readonly quotes: boolean
  /** Called when the model is asked once more. */
  readonly asks: (reply: ModelReply) => void
}

/** Checks the calls of a reply before they are shown. */
export class CallRepair {
  readonly #reply: ModelReply
  readonly #scope: RepairScope

  constructor(reply: ModelReply, scope: RepairScope) {
    this.#reply = reply
    this.#scope = scope
  }

  /** Throws the caller's error if a call is wrong. */
  async check(waiting: readonly CallToCheck[]): Promise<void> {
    const wrong = await this.#wrong(waiting)
    if (wrong.length > 0) throw this.#reply.publicError(unusable(wrong, this.#reply))
    this.#scope.answer.release()
  }

  /**
   * Asks the same endpoint once more for calls that are wrong, as one more round of the request. Returns the cost of the last reply. Throws
   * the caller's error if a call is wrong again.
   */
  async checkOrAsk(
    waiting: readonly CallToCheck[],
    costUsd: number | null,
    asked: GenerationRequest,
  ): Promise<{ readonly costUsd: number | null; readonly isCut: boolean }> {
    const { answer, call } = this.#scope
    const wrong = await this.#wrong(waiting)
    if (wrong.length === 0) {
      answer.release()
      return { costUsd, isCut: false }
    }
    // A guardrail may refuse what the model said before.
    const checking = answer.settled()
    if (checking) await checking
    call.roundOver(costUsd)
    const again = await this.#ask(wrong, asked)
    // Calls that are wrong are not shown.
    if (again) await this.#replace(wrong, again.reply, again.calls)
    answer.release()
    return { costUsd: again?.costUsd ?? null, isCut: !again }
  }

  /** Undefined if the credit does not cover it. */
  async #ask(wrong: readonly CallToCheck[], asked: GenerationRequest): Promise<Repair | undefined> {
    const { call, ids, sink, quotes, asks } = this.#scope
    const { choices: _, ...request } = { ...asked, input: [...asked.input, repairMessage(wrong, quotes)] }
    const calls = new RepairedCalls(ids)
    call.nextRound(request)
    let reply: ModelReply
    try {
      reply = await call.open(request, [this.#reply.attempt.candidate], calls.said)
    } catch (error) {
      if (error instanceof GatewayError && error.status === 402) return undefined
      throw error
    }
    asks(reply)
    try {
      await reply.relay(calls, sink)
    } catch (error) {
      throw reply.fail(error)
    }
    reply.end()
    return { reply, calls, costUsd: await reply.bill() }
  }

  async #replace(wrong: readonly CallToCheck[], reply: ModelReply, calls: RepairedCalls): Promise<void> {
    calls.replace(wrong, reply.finish!)
    const still = await this.#wrong(wrong)
    if (still.length > 0) throw reply.publicError(unusable(still, reply))
  }

  #wrong(calls: readonly CallToCheck[]): Promise<readonly CallToCheck[]> {
    const { caller, signal } = this.#scope.context
    return wrongCalls(calls, caller.key.id, signal)
  }
}

interface Repair {
  readonly reply: ModelReply
  readonly calls: RepairedCalls
  readonly costUsd: number | null
}

/** Checks calls against regular expressions. Returns those that are wrong. */
async function wrongCalls(calls: readonly CallToCheck[], keyId: string, signal: AbortSignal): Promise<readonly CallToCheck[]> {
  for (const call of calls) {
    const { check, opened, input, problem } = call
    if (problem !== undefined || !('regex' in check)) continue
    const { matchesRegex } = await import('./structured-output/regex-checks.ts')
    if (!(await matchesRegex({ name: opened.name, regex: check.regex }, input, keyId, signal)))
      call.problem = `It must match this regular expression from its first to its last character: ${check.regex}`
  }
  return calls.filter(({ problem }) => problem !== undefined)
}

/** Tells the model which calls to make again. `quotes`: nobody minds that a model reads its own words without a check. */
function repairMessage(wrong: readonly CallToCheck[], quotes: boolean): MessageItem {
  const text = wrong
    .map(({ opened, input, problem }) => {
      const quoted = quotes && input.length <= maxQuoted ? ` Its input was:\n${input}\n\n` : ' '
      return `Your call of the tool "${opened.name}" did not run, because its input is not valid.${quoted}${problem!}`
    })
    .join('\n\n')
  const again = wrong.length === 1 ? 'Make this call again with valid input' : 'Make these calls again in the same order with valid input'
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `${text}\n\n${again}, and say nothing else.` }] }
}

interface RepairedCall {
  readonly name: string
  readonly namespace: string | undefined
  readonly check: CallCheck
  input: string
}

/** The reply of a model that was asked to make calls again. Only those calls count. */
class RepairedCalls implements Heard {
  /** All that it says. */
  readonly said = new Transcript()
  readonly #stage: ItemStage
  readonly #calls: RepairedCall[] = []
  #open: RepairedCall | undefined

  constructor(ids: Ids) {
    this.#stage = new ItemStage(ids, event => this.#take(event))
  }

  write(event: RaisedEvent): void {
    this.#stage.write(event)
  }

  pause(): void {
    this.#stage.pause()
  }

  /** Gives each of the calls the input of the next one of the same tool. */
  replace(wrong: readonly CallToCheck[], finish: FinishReason): void {
    this.#stage.end(finish)
    // The last call may be cut off.
    if (finish === 'length' || finish === 'content-filter') return
    for (const call of wrong) {
      const { name, namespace } = call.opened
      const at = this.#calls.findIndex(each => each.name === name && each.namespace === namespace)
      const [again] = at === -1 ? [] : this.#calls.splice(at, 1)
      if (again) retry(call, 'wrapped' in again.check && again.check.wrapped ? inputIn(again.input) : again.input)
    }
  }

  #take(event: StagedEvent): void {
    // Its state is dropped.
    if (event.type === 'reasoning-state' || (event.type === 'item-open' && event.item.kind === 'compaction')) return
    this.said.add(event, unsealed)
    if (event.type === 'item-open') this.#open = 'check' in event ? this.#begun(event) : undefined
    else if (event.type === 'tool-input' && this.#open) this.#open.input += event.text
  }

  #begun({ item, check }: Extract<StagedEvent, { type: 'item-open' }> & { readonly check?: CallCheck }): RepairedCall | undefined {
    if (item.kind !== 'call' || !check) return undefined
    const call = { name: item.name, namespace: item.namespace, check, input: '' }
    this.#calls.push(call)
    return call
  }
}

/** Names what was wrong, never its content. */
function unusable([first]: readonly CallToCheck[], { attempt }: ModelReply): ProviderFailure {
  const expected = first && 'tool' in first.check ? 'is not valid' : 'does not match its grammar'
  return new ProviderFailure({
    kind: 'protocol',
    message: wording`The provider "${own(attempt.candidate.provider.id)}" called the tool "${first?.opened.name ?? ''}" with an input that ${expected}.`,
    // A caller's grammar that the model cannot follow must not take the model from others.
    isFault: false,
  })
}

function unsealed(): never {
  throw new Error('the state of a repaired call has no place')
}

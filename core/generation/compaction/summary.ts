import type { Item, MessageItem } from '../../contracts/items.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { GenerationSink } from '../../contracts/route.ts'
import { GatewayError, invalidRequest } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import { answerGuards, type AnswerGuards } from '../../guards/answer-guards.ts'
import { applyInputGuards } from '../../guards/input-guards.ts'
import type { Candidate } from '../../routing/plan.ts'
import { Answer } from '../answer.ts'
import type { ModelCall } from '../model-call.ts'
import type { ModelReply } from '../model-reply.ts'
import type { Prepared } from '../preparation.ts'
import { calledTools } from './called-tools.ts'
import { spokenCall } from './calls.ts'
import type { CompactingScope } from './compacting.ts'
import type { PlannedCompaction } from './compactions.ts'
import { lengthOfAll, partsOf } from './parts.ts'
import { summaryMessage } from './summary-message.ts'

/** The vendors gave no summary. */
export class SummaryFailure extends Error {
  readonly reason: GatewayError

  constructor(reason: GatewayError) {
    super(reason.message)
    this.reason = reason
  }
}

export interface MadeSummary {
  readonly text: string
  /** The last one. */
  readonly reply: ModelReply
  readonly parts: number
}

/** A counter for another tokenizer may be so far off. */
const margin = 1.2
const questionTokens = 1_500
/** Shorter parts would hold little more than the summary of those before them. */
const leastPartCharacters = 2_000

/** Asks models for the summary of a conversation: once, or part by part if it is longer than the context window. */
export class Summary {
  readonly #planned: PlannedCompaction
  readonly #prepared: Prepared
  readonly #scope: CompactingScope
  readonly #maxTokens: number
  #parts: readonly (readonly Item[])[] = []
  #first: GenerationRequest | undefined

  constructor(planned: PlannedCompaction, prepared: Prepared, scope: CompactingScope) {
    this.#planned = planned
    this.#prepared = prepared
    this.#scope = scope
    const { contextWindow = Infinity, maxOutputTokens = Infinity } = planned.candidates[0]!.endpoint
    this.#maxTokens = Math.min(scope.compactor.maxSummaryTokens, maxOutputTokens, Math.floor(contextWindow / 4))
  }

  async open(): Promise<GenerationRequest> {
    this.#parts = await this.#divided()
    return (this.#first = await this.#request(0, undefined))
  }

  /** Throws a `SummaryFailure`, or what ends the request: no credit, a guardrail, a caller that left. */
  async made(call: ModelCall): Promise<MadeSummary> {
    let candidates = call.candidates
    let request = this.#first!
    for (let index = 0; ;) {
      const { text, reply } = await this.#ask(request, candidates, call)
      if (++index === this.#parts.length) return { text, reply, parts: index }
      const { candidate } = reply.attempt
      candidates = [candidate, ...candidates.filter(other => other !== candidate)]
      request = await this.#request(index, text)
      call.nextRound(request)
    }
  }

  async #ask(
    request: GenerationRequest,
    candidates: readonly Candidate[],
    call: ModelCall,
  ): Promise<{ readonly text: string; readonly reply: ModelReply }> {
    const { ids, context, cancellation, maxCharacters } = this.#scope
    const answer = new Answer(ids, unseen)
    answer.sealBy(() => '')
    const show: Answer['show'] = event => answer.show(event)
    const end = (reason: unknown): void => cancellation.abort(reason)
    const guards = answerGuards(this.#prepared.guards, { context, isJson: false, maxCharacters, show, end })
    let refusal: { readonly reason: unknown } | undefined
    answer.guardBy(guards && noting(guards, reason => (refusal = { reason })))
    const reply = await this.#orFailure(call.open(request, candidates, answer.transcript))
    try {
      await this.#orFailure(relayed(reply, answer))
    } catch (error) {
      await reply.leave()
      throw refusal ? refusal.reason : error
    }
    reply.end()
    call.roundOver(await reply.bill())
    if (reply.isCut) throw cutByCap()
    if (reply.finish === 'content-filter') throw new SummaryFailure(noSummary(reply.attempt.candidate))
    answer.end(reply.finish!)
    await answer.settled()
    const text = wordsIn(answer.shown.items())
    if (text === '') throw new SummaryFailure(noSummary(reply.attempt.candidate))
    return { text, reply }
  }

  /** A failure of the vendors is one of the summary. */
  async #orFailure<T>(asking: Promise<T>): Promise<T> {
    try {
      return await asking
    } catch (error) {
      if (this.#scope.cancellation.aborted || !(error instanceof GatewayError) || error.status === 402) throw error
      throw new SummaryFailure(error)
    }
  }

  /** The conversation in parts that fit the context window, most often one. */
  async #divided(): Promise<readonly (readonly Item[])[]> {
    const { told } = this.#planned.outline
    const { endpoint } = this.#planned.candidates[0]!
    const { contextWindow: window, tokenizer } = endpoint
    if (window === undefined) return [told]
    const { contextWindow, compactor } = this.#scope
    const factor = tokenizer ? 1 : margin
    const plain = { ...this.#plain(), input: told }
    const whole = (await contextWindow.count(endpoint, plain)).tokens * factor
    const room = window - this.#maxTokens - questionTokens
    if (whole <= room) return [told]
    const fixed = (await contextWindow.count(endpoint, { ...plain, input: [] })).tokens * factor
    const charactersPerToken = lengthOfAll(told) / Math.max(1, whole - fixed)
    const longest = Math.floor((room - fixed - this.#maxTokens) * charactersPerToken * 0.9)
    const parts = longest < leastPartCharacters ? [] : partsOf(told, longest)
    if (parts.length === 0 || parts.length > compactor.maxParts) throw tooLong(this.#planned.candidates[0]!, compactor.maxParts)
    return parts
  }

  async #request(index: number, before: string | undefined): Promise<GenerationRequest> {
    const { compactor, context, tools } = this.#scope
    const { guards } = this.#prepared
    const { openCalls } = this.#planned.outline
    const count = this.#parts.length
    const calls = openCalls.map(spokenCall)
    const question = user(compactor.question({ index, count, openCalls: index === count - 1 ? calls : [] }))
    const earlier = before === undefined ? [] : [summaryMessage(before)]
    const request = { ...this.#plain(), input: [...earlier, ...this.#parts[index]!, question] }
    return tools.readable(guards.length > 0 ? await applyInputGuards(request, guards, context) : request)
  }

  /** The caller's request, so that prompt caches know its beginning, without what concerns the form of its answer. */
  #plain(): GenerationRequest {
    const {
      choices: _choices,
      text: _text,
      stop: _stop,
      logprobs: _logprobs,
      top_logprobs: _topLogprobs,
      logit_bias: _logitBias,
      details: _details,
      max_tool_calls: _maxToolCalls,
      context_management: _contextManagement,
      tool_choice: _toolChoice,
      ...plain
    } = this.#prepared.extended
    const tools = plain.tools?.length ? plain.tools : calledTools(this.#planned.outline.told)
    return { ...plain, max_output_tokens: this.#maxTokens, ...(tools.length > 0 && { tools, tool_choice: 'none' }) }
  }
}

async function relayed(reply: ModelReply, answer: Answer): Promise<void> {
  try {
    await reply.relay(answer, unseen)
  } catch (error) {
    throw reply.fail(error)
  }
}

/** Tells a refusal of the guardrails from a failure of the vendor, for both end the reading of the reply. */
function noting(guards: AnswerGuards, refused: (reason: unknown) => void): AnswerGuards {
  return {
    write(event) {
      try {
        guards.write(event)
      } catch (error) {
        refused(error)
        throw error
      }
    },
    settled: () => guards.settled(),
  }
}

/** Nobody sees a summary while it is written. */
const unseen: GenerationSink = {
  begin() {},
  write() {},
  close: () => ({ id: '', body: {} }),
  end() {},
  fail() {},
  full: false,
  drained: () => Promise.resolve(),
}

function user(text: string): MessageItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
}

function wordsIn(items: readonly Item[]): string {
  const texts = items.flatMap(item => (item.type === 'message' ? item.content : []))
  return texts
    .flatMap(part => (part.type === 'output_text' ? [part.text] : []))
    .join('\n')
    .trim()
}

function noSummary({ endpoint: { provider, model } }: Candidate): GatewayError {
  return new GatewayError({
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    message: wording`"${model}" at "${own(provider)}" was asked for a summary of the conversation, and gave none. Try again, or name another model.`,
  })
}

function cutByCap(): GatewayError {
  return new GatewayError({
    status: 402,
    type: 'insufficient_credits',
    code: 'insufficient_credits',
    message: wording`The spend cap or the credit did not cover the summary of the conversation. Raise it, or start a shorter conversation.`,
  })
}

function tooLong({ endpoint: { provider, model, contextWindow } }: Candidate, maxParts: number): GatewayError {
  return invalidRequest(
    wording`The conversation is too long to be summarized: it takes more than ${own(maxParts)} parts for "${model}" at "${own(provider)}", whose context window is ${own(contextWindow ?? 'unknown')}. Name a model with a larger window, or send less.`,
    'input',
    'context_length_exceeded',
  )
}

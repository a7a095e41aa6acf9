import { ProviderFailure, type FinishReason, type ProviderCall } from '../../core/index.ts'
import type { Emit, LogProb } from '../../core/kit.ts'
import { annotationOf, logprobOf } from './annotations.ts'
import type { ChatHost } from './chat-host.ts'
import { ReasoningDetails } from './reasoning-details.ts'
import { exactOf } from './own-dialect.ts'
import { OwnWords } from './own-words.ts'
import { dropped } from './request.ts'
import { Searches } from './searches.ts'
import { ThinkTags } from './think-tags.ts'
import { ToolCalls } from './tool-calls.ts'
import { usageOf } from './usage.ts'
import type { Annotation, ChatBody, Choice, ContentPart, ReasoningDetail, Said, Usage } from './wire.ts'

/** Turns one answer into events, streamed or whole. */
export class Answer {
  readonly #call: ProviderCall
  readonly #host: ChatHost
  readonly #thinkTags: ThinkTags | undefined
  /** Absent unless the caller speaks this dialect. */
  readonly #own: OwnWords | undefined
  #details: ReasoningDetails | undefined
  #calls: ToolCalls | undefined
  #isOpen = false
  #hasModel = false
  #hasSaid = false
  #hasText = false
  #hasReasoned = false
  /** The index of the open reasoning part. */
  #partIndex: number | undefined
  #annotations: Annotation[] = []
  #logprobs: LogProb[] = []
  #searches: Searches | undefined
  #counts: Usage | undefined
  #emptyUsage: Usage | undefined
  /** Kept only if it may hold citations. */
  #text = ''

  constructor(call: ProviderCall, host: ChatHost) {
    this.#call = call
    this.#host = host
    this.#thinkTags = host.thinkTags && new ThinkTags(this)
    if (exactOf(call.request)) this.#own = new OwnWords()
  }

  /** Handles everything but the choices and the counts. */
  envelope(body: ChatBody, emit: Emit): void {
    const { model } = body
    if (!this.#isOpen) dropped(this.#call, this.#host, (param, message) => emit({ type: 'warning', param, message }))
    this.#isOpen = true
    this.#own?.envelope(body, emit)
    if (model && !this.#hasModel) {
      this.#hasModel = true
      emit({ type: 'model', model })
    }
    if (body.citations || body.search_results) this.#found.beside(body, this.#hasText, emit)
  }

  /** Call after the choices, which the counts include. Some hosts send chunks with an empty usage before the real one. */
  counts(body: ChatBody, emit: Emit): void {
    const usage = reportIn(body)
    if (usage) this.#own?.usage(usage)
    if (hasCounts(usage)) this.#count(usage, emit)
    else if (usage) this.#emptyUsage = usage
  }

  /** Keeps what a choice has besides. */
  beside(choice: Choice): void {
    this.#own?.choice(choice)
  }

  /** A delta, or a whole message. */
  say(said: Said, logprobs: Choice['logprobs'], whole: boolean, emit: Emit): void {
    if (said.executed_tools) {
      this.#thinkTags?.flush(emit)
      this.#found.executed(said.executed_tools, emit)
    }
    const isThought = this.#reason(said, whole, emit) && !said.content
    if (logprobs?.content && !isThought)
      for (const logprob of logprobs.content) this.#logprobs.push(this.#own ? (logprob as LogProb) : logprobOf(logprob))
    if (typeof said.content === 'string') this.#content(said.content, emit)
    else if (said.content) for (const part of said.content) this.#part(part, emit)
    if (this.#own?.said(said, emit)) this.#hasSaid = true
    if (said.refusal) {
      this.#settle(emit)
      this.#hasSaid = true
      emit({ type: 'refusal', text: said.refusal })
    }
    if (said.annotations?.length) {
      this.#annotations.push(...said.annotations)
      this.#found.annotated(said.annotations)
    }
    if (said.tool_calls?.length) {
      this.#hasSaid = true
      this.#settle(emit)
      this.#annotate(emit)
      this.#calls ??= new ToolCalls()
      for (const call of said.tool_calls) {
        this.#calls.add(call, emit)
        this.#own?.call(call, emit)
      }
    }
  }

  /** Emits no `finish` for an answer without content and without a finish reason. */
  finish(reason: string | undefined, emit: Emit): void {
    this.#settle(emit)
    this.#annotate(emit)
    const finish = finishReasonOf(reason)
    this.#calls?.end(finish === 'length' || this.#own !== undefined, emit)
    if (reason === undefined && !this.#hasSaid) return
    this.#searches?.end(emit)
    // A whole reply has its usage next to the content that it counts.
    if (this.#counts && this.#searches?.count) this.#count(this.#counts, emit)
    if (!this.#counts && this.#emptyUsage) this.#count(this.#emptyUsage, emit)
    this.#own?.end(reason, emit)
    emit({ type: 'finish', reason: finish === 'stop' && this.#calls?.count ? 'tool-calls' : finish })
  }

  reasoning(text: string, emit: Emit): void {
    // The public protocol cannot express log probabilities of thoughts.
    this.#logprobs = []
    this.#hasReasoned = true
    emit({ type: 'reasoning', text, form: 'full' })
  }

  text(text: string, emit: Emit): void {
    // A signature in the middle of the text must not split it, so it waits for the end.
    if (!this.#hasText || this.#partIndex !== undefined) this.#endReasoning(emit)
    this.#hasSaid = true
    this.#hasText = true
    if (this.#searches || this.#host.search?.form === 'web_search_options') this.#text += text
    if (this.#logprobs.length === 0) return emit({ type: 'text', text })
    emit({ type: 'text', text, logprobs: this.#logprobs })
    this.#logprobs = []
  }

  #reason({ reasoning_details: details, reasoning, reasoning_content }: Said, whole: boolean, emit: Emit): boolean {
    // Several members may hold the same text. The list has the most detail.
    const inDetails = details?.some(detail => detail.text || detail.summary)
    const text = inDetails ? undefined : reasoning_content || reasoning
    if (!text && !details?.length) return false
    this.#thinkTags?.flush(emit)
    if (details) this.#own?.details(details, emit)
    if (text) this.reasoning(text, emit)
    for (const detail of details ?? []) this.#detail(detail, emit)
    if (details) (this.#details ??= new ReasoningDetails()).add(details, whole)
    return true
  }

  #detail({ text, summary, index }: ReasoningDetail, emit: Emit): void {
    const said = text || summary
    if (!said) return
    const part = index ?? 0
    // A caller of this dialect gets the pieces as they are.
    const isNewPart = !this.#own && this.#partIndex !== undefined && this.#partIndex !== part
    this.#partIndex = part
    this.#hasReasoned = true
    emit({ type: 'reasoning', text: said, form: text ? 'full' : 'summary', ...(isNewPart && { newPart: true }) })
  }

  #content(text: string, emit: Emit): void {
    if (text === '') return
    if (!this.#thinkTags) return this.text(text, emit)
    this.#thinkTags.push(text, emit)
    if (this.#thinkTags.isThinking) this.#logprobs = []
  }

  /** Mistral sends content as a list. */
  #part({ text, thinking }: ContentPart, emit: Emit): void {
    if (typeof thinking === 'string') this.reasoning(thinking, emit)
    else if (thinking) for (const piece of thinking) if (piece.text) this.reasoning(piece.text, emit)
    if (text) this.#content(text, emit)
  }

  #settle(emit: Emit): void {
    this.#thinkTags?.flush(emit)
    this.#endReasoning(emit)
    this.#logprobs = []
  }

  #endReasoning(emit: Emit): void {
    this.#partIndex = undefined
    const opaque = this.#details?.take()
    if (opaque) emit({ type: 'reasoning-state', opaque })
  }

  #annotate(emit: Emit): void {
    const annotations = this.#annotations
    this.#annotations = []
    if (!this.#hasText) return
    for (const annotation of annotations) {
      const event = annotationOf(annotation)
      if (event) emit(event)
    }
    if (annotations.length === 0) this.#searches?.marks(this.#text, emit)
    this.#text = ''
  }

  #count(counts: Usage, emit: Emit): void {
    this.#counts = counts
    emit({ type: 'usage', usage: usageOf(counts, this.#hasSaid || this.#hasReasoned, this.#searches?.count) })
  }

  get #found(): Searches {
    return (this.#searches ??= new Searches())
  }
}

/** True if there is a usage with counts, wherever a host puts it. */
export function isCounted(body: ChatBody): boolean {
  return hasCounts(reportIn(body))
}

function reportIn({ usage, x_groq }: ChatBody): Usage | undefined {
  return usage ?? x_groq?.usage ?? undefined
}

function hasCounts(usage: Usage | undefined): usage is Usage {
  return (usage?.prompt_tokens ?? usage?.completion_tokens ?? undefined) !== undefined
}

/** Hosts have different names for the same finish reasons. */
function finishReasonOf(reason: string | undefined): FinishReason {
  switch (reason) {
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length'
    case 'tool_calls':
    case 'tool_call':
    case 'function_call':
      return 'tool-calls'
    case 'content_filter':
      return 'content-filter'
    case 'error':
    case 'abort':
      throw new ProviderFailure({ kind: 'unavailable', message: 'The provider ended its answer with an error.' })
    case 'insufficient_system_resource':
      throw new ProviderFailure({ kind: 'overloaded', message: 'The provider ended its answer because it ran out of resources.' })
    default:
      return 'stop'
  }
}

import {
  ProviderFailure,
  type Endpoint,
  type FinishReason,
  type GenerationEvent,
  type Item,
  type ProviderCall,
  type TokenUsage,
} from '../../../core/index.ts'
import type { Part, UpstreamRequestBody } from '../../../core/kit.ts'
import { logProbs } from './reply.ts'

/** A token is four UTF-16 units, rounded up. An image or a file counts as 100 tokens. */
const tokenLength = 4
const attachmentLength = 100 * tokenLength

/** Counts a model's output, stops it at its limit, and emits usage at the start and before the end. */
export async function* metered(
  call: ProviderCall,
  say: (call: ProviderCall) => Iterable<GenerationEvent> | AsyncIterable<GenerationEvent>,
): AsyncGenerator<GenerationEvent> {
  const meter = new Meter(call.request, call.endpoint)
  let isFirst = true
  for await (const event of say(call)) {
    call.signal.throwIfAborted()
    if (isFirst) {
      yield { type: 'model', model: call.endpoint.upstreamModel }
      yield meter.usage()
      isFirst = false
    }
    const measured = event.type === 'finish' ? undefined : meter.measure(event)
    if (measured) yield measured
    if (event.type === 'finish') return yield* finish(meter, event.reason)
    if (measured !== event) return yield* finish(meter, 'length')
  }
}

function* finish(meter: Meter, reason: FinishReason): Generator<GenerationEvent> {
  yield meter.usage()
  yield { type: 'finish', reason }
}

class Meter {
  readonly #inputTokens: number
  readonly #maxTokens: number
  #answerLength = 0
  #reasoningLength = 0

  constructor(request: UpstreamRequestBody, { contextWindow = Infinity, maxOutputTokens = Infinity }: Endpoint) {
    this.#inputTokens = tokens(requestLength(request))
    this.#maxTokens = Math.min(request.max_output_tokens ?? Infinity, maxOutputTokens)
    if (this.#inputTokens > contextWindow)
      throw new ProviderFailure({
        kind: 'context-length',
        status: 400,
        message: `The input has ${this.#inputTokens} tokens; the context window is ${contextWindow} tokens.`,
      })
  }

  usage(): GenerationEvent {
    const reasoning = tokens(this.#reasoningLength)
    const usage: TokenUsage = {
      uncachedInput: this.#inputTokens,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: reasoning + tokens(this.#answerLength),
      reasoning,
    }
    return { type: 'usage', usage }
  }

  /** The event, or the part of it that fits. Undefined if there is no room. */
  measure(event: GenerationEvent): GenerationEvent | undefined {
    if (event.type === 'tool-call') return this.#room(false) > 0 ? event : undefined
    if (event.type !== 'text' && event.type !== 'refusal' && event.type !== 'reasoning' && event.type !== 'tool-input') return event
    const isReasoning = event.type === 'reasoning'
    const text = cut(event.text, this.#room(isReasoning))
    if (isReasoning) this.#reasoningLength += text.length
    else this.#answerLength += text.length
    if (text.length === event.text.length) return event
    if (text === '') return undefined
    if (event.type !== 'text' || !event.logprobs) return { ...event, text }
    return { ...event, text, logprobs: logProbs(text, event.logprobs[0]?.top_logprobs?.length ?? 0) }
  }

  #room(isReasoning: boolean): number {
    const [own, other] = isReasoning ? [this.#reasoningLength, this.#answerLength] : [this.#answerLength, this.#reasoningLength]
    return Math.max(0, (this.#maxTokens - tokens(other)) * tokenLength - own)
  }
}

/** Does not split a surrogate pair. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text
  const last = text.charCodeAt(room - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? room - 1 : room)
}

function tokens(length: number): number {
  return Math.ceil(length / tokenLength)
}

function requestLength({ input, instructions = '', tools = [], text }: UpstreamRequestBody): number {
  const declared = [...tools, ...(text?.format?.type === 'json_schema' ? [text.format] : [])]
  const lengths = [...declared.map(each => JSON.stringify(each).length), ...input.map(itemLength)]
  return lengths.reduce((sum, length) => sum + length, instructions.length)
}

function itemLength(item: Item): number {
  switch (item.type) {
    case 'message':
      return partsLength(item.content)
    case 'function_call':
      return item.name.length + item.arguments.length
    case 'custom_tool_call':
      return item.name.length + item.input.length
    case 'function_call_output':
    case 'custom_tool_call_output':
      return partsLength(item.output)
    case 'reasoning':
      return [...(item.summary ?? []), ...(item.content ?? [])].reduce((sum, { text }) => sum + text.length, 0)
    default:
      return JSON.stringify(item).length
  }
}

function partsLength(parts: string | readonly Part[]): number {
  if (typeof parts === 'string') return parts.length
  return parts.reduce((sum, part) => {
    if ('text' in part) return sum + part.text.length
    return sum + ('refusal' in part ? part.refusal.length : attachmentLength)
  }, 0)
}

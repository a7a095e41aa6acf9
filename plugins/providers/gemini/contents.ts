import { isObject, parseJson, type Item } from '../../../core/index.ts'
import { argumentsOf, unsayable, type FunctionCallItem, type FunctionCallOutputItem, type MessageItem } from '../../../core/kit.ts'
import type { ModelTraits } from './models.ts'
import { extraOf, ownCallId, withExtra } from './own-dialect.ts'
import { inputParts, textParts } from './parts.ts'
import { thoughtState, type ThoughtState } from './thought-state.ts'
import type { Content, FunctionResponse, Part } from './wire.ts'

export interface Conversation {
  /** System and developer messages at the start of the conversation. */
  readonly system: readonly Part[]
  readonly contents: readonly Content[]
}

interface Turn {
  readonly role: Content['role']
  readonly parts: Part[]
}

export interface ConversationOptions {
  readonly traits: Pick<ModelTraits, 'signedCalls' | 'systemInstruction'>
  /** The address of stored files. Undefined if the platform does not store files. */
  readonly filesUrl: string | undefined
  /** The caller speaks this dialect. */
  readonly isOwn: boolean
}

/** Converts items to the vendor's turns, which alternate between the user and the model. */
export function conversationOf(items: readonly Item[], options: ConversationOptions): Conversation {
  const first = options.traits.systemInstruction ? items.findIndex(item => !isSystem(item)) : 0
  // In a conversation of instructions alone, the last one serves as the question.
  const leading = first < 0 ? items.length - 1 : first
  const system = items.slice(0, leading).flatMap(item => textParts((item as MessageItem).content, options.isOwn))
  const turns = new Turns(options)
  for (const item of items.slice(leading)) {
    if (first < 0) turns.say('user', textParts((item as MessageItem).content, options.isOwn))
    else turns.add(item)
  }
  return { system, contents: turns.finished() }
}

class Turns {
  readonly #turns: Turn[] = []
  readonly #options: ConversationOptions
  /** Function names by call id. Results do not repeat them. */
  readonly #names = new Map<string, string>()
  #pending: ThoughtState | undefined

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  add(item: Item): void {
    switch (item.type) {
      case 'message':
        return this.#message(item as MessageItem)
      case 'function_call':
        this.#names.set(item.call_id, item.name)
        return this.say('model', [this.#call(item as FunctionCallItem)])
      case 'function_call_output':
        return this.say('user', this.#result(item as FunctionCallOutputItem))
      case 'reasoning':
        return this.#thought(thoughtState(item.encrypted_content))
      case 'web_search_call':
        // The answer that follows already contains what the search found, and the vendor does not accept searches as input.
        return
      case 'vendor':
        if (this.#options.isOwn) return this.say('model', [item.extra as Part])
        throw unsayable('Items of another API cannot be sent to this provider.', item)
      default:
        throw unsayable(`Items of type ${item.type} cannot be sent to this provider.`, item)
    }
  }

  say(role: Content['role'], parts: readonly Part[]): void {
    const [first, ...rest] = parts
    if (!first) return
    const state = this.#pending
    this.#pending = undefined
    if (state && role === 'user') this.#append('model', [{ text: '', thoughtSignature: state.thoughtSignature }])
    this.#append(role, state && role === 'model' ? [...signedBy(state, first), ...rest] : parts)
  }

  finished(): readonly Content[] {
    const turns = this.#turns
    if (turns.length > 0 && turns[0]!.role !== 'user') turns.unshift({ role: 'user', parts: [{ text: '(The conversation begins.)' }] })
    return turns.map(({ role, parts }) => ({ role, parts: role === 'user' ? resultsFirst(parts) : this.#signed(parts) }))
  }

  /** There is no role for system messages in mid-conversation, and at the top they would lose their place. */
  #message({ role, content }: MessageItem): void {
    const { filesUrl, isOwn } = this.#options
    if (role === 'user') this.say('user', inputParts(content, filesUrl, isOwn))
    else if (role === 'assistant') this.say('model', textParts(content, isOwn))
    else
      this.say(
        'user',
        textParts(content, false).map(({ text }) => ({ text: `<system>\n${text}\n</system>` })),
      )
  }

  #thought(state: ThoughtState | undefined): void {
    if (!state) return
    const { on, thoughtSignature, text = '' } = state
    if (on === 'next') this.#pending = state
    else this.say('model', [{ text, ...(on === 'thought' && { thought: true }), thoughtSignature }])
  }

  #call(item: FunctionCallItem): Part {
    const { isOwn } = this.#options
    const call = { ...ownCallId(item.call_id, isOwn), name: item.name, args: argumentsOf(item.arguments) }
    return withExtra({ functionCall: call }, extraOf(item, isOwn))
  }

  /** Puts media into the result if the model supports it, else next to it. */
  #result(item: FunctionCallOutputItem): readonly Part[] {
    const { call_id: callId, output, status } = item
    const { filesUrl, isOwn } = this.#options
    const name = this.#names.get(callId)
    if (name === undefined) throw unsayable(`function_call_output has the call_id "${callId}", but no earlier function_call has it.`)
    const parts: readonly Part[] = typeof output === 'string' ? [{ text: output }] : inputParts(output, filesUrl, isOwn)
    if (isOwn) return [this.#ownResult(item, name, parts)]
    const media = parts.filter(({ text }) => text === undefined)
    const text = parts.map(part => part.text ?? '').join('\n')
    const inside = this.#options.traits.signedCalls ? media.flatMap(({ inlineData }) => (inlineData ? [{ inlineData }] : [])) : []
    const response: FunctionResponse = {
      id: callId,
      name,
      response: { [status === 'failed' ? 'error' : 'output']: text.trim() },
      ...(inside.length > 0 && { parts: inside }),
    }
    return [{ functionResponse: response }, ...media.filter(({ inlineData }) => inside.length === 0 || !inlineData)]
  }

  /** The surface of this dialect puts the response into a text. */
  #ownResult(item: FunctionCallOutputItem, name: string, [first, ...media]: readonly Part[]): Part {
    const response = parseJson(first?.text ?? '')
    const functionResponse: FunctionResponse = {
      ...ownCallId(item.call_id, true),
      name,
      response: isObject(response) ? response : { output: first?.text ?? '' },
      ...(media.length > 0 && { parts: media as unknown as NonNullable<FunctionResponse['parts']> }),
    }
    return withExtra<Part>({ functionResponse }, extraOf(item, true))
  }

  /**
   * Calls by another model, or made up by the caller, have no signature, but the vendor requires one on the first call of a turn.
   * This is its documented placeholder ("Thought signatures", FAQ).
   */
  #signed(parts: readonly Part[]): readonly Part[] {
    const first = parts.find(({ functionCall }) => functionCall)
    if (!this.#options.traits.signedCalls || !first || first.thoughtSignature !== undefined) return parts
    return parts.map(part => (part === first ? { ...part, thoughtSignature: 'skip_thought_signature_validator' } : part))
  }

  #append(role: Content['role'], parts: readonly Part[]): void {
    const last = this.#turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else this.#turns.push({ role, parts: [...parts] })
  }
}

/** In a stream, a text may continue after the signed part. */
function signedBy({ thoughtSignature, length }: ThoughtState, part: Part): readonly Part[] {
  if (part.text === undefined || length === undefined || length >= part.text.length) return [{ ...part, thoughtSignature }]
  return [{ text: part.text.slice(0, length), thoughtSignature }, { text: part.text.slice(length) }]
}

function isSystem(item: Item): boolean {
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer')
}

/** The vendor wants results right after the calls. */
function resultsFirst(parts: readonly Part[]): readonly Part[] {
  return [...parts.filter(({ functionResponse }) => functionResponse), ...parts.filter(({ functionResponse }) => !functionResponse)]
}

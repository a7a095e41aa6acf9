import type { Item, JsonObject } from '../../../core/index.ts'
import type { Part, ReasoningItem, WithExtra } from '../../../core/kit.ts'
import { CallIds } from './call-ids.ts'
import { mediaPart } from './media.ts'
import { others } from './others.ts'
import type { WireContent, WirePart } from './request-body.ts'
import { signedBy, type Form } from './thought-signature.ts'

type Role = 'user' | 'assistant' | 'system'

/** The items of a conversation. Parts that have no neutral form become `vendor` parts, in their place. */
export function itemsOf(contents: readonly WireContent[]): readonly Item[] {
  const conversation = new Conversation()
  for (const content of contents) conversation.add(content)
  return conversation.finish()
}

/** The parts of `systemInstruction`. */
export function systemParts({ parts = [] }: WireContent): readonly Part[] {
  return parts.map(part => partOf(part, 'system'))
}

class Conversation {
  readonly #items: Item[] = []
  readonly #ids = new CallIds()
  #role: Role = 'user'
  #parts: Part[] = []
  /** The texts of thoughts whose signature is on a later part. */
  #thoughts: string[] = []

  add({ role, parts = [] }: WireContent): void {
    const wanted: Role = role === 'model' ? 'assistant' : role === 'system' ? 'system' : 'user'
    // The pieces of a stream come back as one content each.
    if (wanted !== this.#role || wanted !== 'assistant') this.#endTurn()
    if (wanted === 'assistant' && this.#role !== 'assistant') this.#ids.beginTurn()
    this.#role = wanted
    for (const part of parts) this.#part(part)
  }

  #part(part: WirePart): void {
    if (this.#role === 'assistant') {
      if (part.thought === true && typeof part.text === 'string') {
        this.#thoughts.push(part.text)
        if (part.thoughtSignature !== undefined) this.#sign(part.thoughtSignature)
        return
      }
      if (part.thoughtSignature !== undefined) this.#sign(part.thoughtSignature)
    }
    if (part.functionCall) return this.#call(part)
    if (part.functionResponse) return this.#response(part)
    if (isSignatureAlone(part)) return
    this.#endThoughts()
    this.#parts.push(partOf(part, this.#role))
  }

  /** State of the model. It comes before the part that has it. */
  #sign(signature: string): void {
    const signed = signedBy(signature)
    if (!signed) return
    this.#endMessage()
    const text = this.#thoughts.join('')
    this.#thoughts = []
    this.#items.push(reasoningItem(text, signed.form, signed.state))
  }

  #call(part: WirePart): void {
    const { id, name, args = {} } = part.functionCall!
    this.#endThoughts()
    this.#endMessage()
    const extra = { ...others(part, ['functionCall', ...signs]), ...others(part.functionCall!, ['id', 'name', 'args'], 'functionCall.') }
    this.#items.push({
      type: 'function_call',
      call_id: this.#ids.called(name, id),
      name,
      arguments: JSON.stringify(args),
      ...withExtra(extra),
    })
  }

  #response(part: WirePart): void {
    const { id, name, response = {}, parts: media = [] } = part.functionResponse!
    this.#endMessage()
    const callId = this.#ids.answered(name, id)
    const text = JSON.stringify(response)
    const shown = media.map(each => mediaPart(each, []) ?? { type: 'vendor' as const, extra: each })
    const extra = {
      ...others(part, ['functionResponse', ...signs]),
      ...others(part.functionResponse!, ['id', 'name', 'response', 'parts'], 'functionResponse.'),
    }
    this.#items.push({
      type: 'function_call_output',
      // Without a call, core makes a message of it.
      ...(callId === undefined ? { name } : { call_id: callId }),
      output: shown.length === 0 ? text : [{ type: 'input_text', text }, ...shown],
      ...('error' in response && Object.keys(response).length === 1 && { status: 'failed' as const }),
      ...withExtra(extra),
    } as Item)
  }

  /** Thoughts without a signature. */
  #endThoughts(): void {
    if (this.#thoughts.length === 0) return
    this.#endMessage()
    this.#items.push(reasoningItem(this.#thoughts.join(''), 'summary', undefined))
    this.#thoughts = []
  }

  #endMessage(): void {
    if (this.#parts.length > 0) this.#items.push({ type: 'message', role: this.#role, content: this.#parts })
    this.#parts = []
  }

  #endTurn(): void {
    this.#endThoughts()
    this.#endMessage()
  }

  /** Ends the last turn. */
  finish(): readonly Item[] {
    this.#endTurn()
    return this.#items
  }
}

const signs = ['thought', 'thoughtSignature'] as const

/** Nothing but the place of a signature. */
function isSignatureAlone(part: WirePart): boolean {
  if (part.thoughtSignature === undefined) return false
  return Object.keys(part).every(name => name === 'thoughtSignature' || name === 'thought' || (name === 'text' && part.text === ''))
}

function reasoningItem(text: string, form: Form, state: string | undefined): ReasoningItem {
  return {
    type: 'reasoning',
    ...(form === 'full' && text !== ''
      ? { content: [{ type: 'reasoning_text', text }] }
      : { summary: text === '' ? [] : [{ type: 'summary_text', text }] }),
    ...(state !== undefined && { encrypted_content: state }),
  }
}

function partOf(part: WirePart, role: Role): Part {
  const { text } = part
  if (typeof text === 'string') {
    const said: Part = role === 'assistant' ? { type: 'output_text', text } : { type: 'input_text', text }
    return { ...said, ...withExtra(others(part, ['text', ...signs])) }
  }
  // What a model has made has no neutral form.
  const media = role === 'user' ? mediaPart(part, signs) : undefined
  return media ?? { type: 'vendor', extra: others(part, signs) }
}

function withExtra(extra: JsonObject): WithExtra {
  return Object.keys(extra).length > 0 ? { extra } : {}
}

import type { OutputChannel } from '../contracts/guardrail.ts'
import type { ItemDelta, ItemEvent } from '../contracts/item-events.ts'

/** An event that adds text to an item. */
export type Spoken = Extract<ItemDelta, { type: 'text' | 'refusal' | 'reasoning' | 'tool-input' }>

/** The part of its item to which an event adds text. */
export interface Voice extends OutputChannel {
  /** The list of parts in the public item, and the member of the part. A call's input is no list. */
  readonly list?: 'content' | 'summary'
  readonly member: 'text' | 'refusal' | 'arguments' | 'input'
}

const voices = {
  refusal: { kind: 'refusal', json: false, list: 'content', member: 'refusal' },
  summary: { kind: 'reasoning', json: false, list: 'summary', member: 'text' },
  full: { kind: 'reasoning', json: false, list: 'content', member: 'text' },
  arguments: { kind: 'arguments', json: true, member: 'arguments' },
  input: { kind: 'custom-input', json: false, member: 'input' },
  text: { kind: 'text', json: false, list: 'content', member: 'text' },
  json: { kind: 'text', json: true, list: 'content', member: 'text' },
} as const satisfies Record<string, Voice>

export function isSpoken(event: ItemEvent): event is Spoken {
  return event.type === 'text' || event.type === 'refusal' || event.type === 'reasoning' || event.type === 'tool-input'
}

/** The same object for the same place. `isCustom`: the open item is a call whose input is free text. `isJson`: the answer is a JSON document. */
export function voiceOf(event: Spoken, isCustom: boolean, isJson: boolean): Voice {
  switch (event.type) {
    case 'text':
      return isJson ? voices.json : voices.text
    case 'reasoning':
      return voices[event.form]
    case 'tool-input':
      return isCustom ? voices.input : voices.arguments
    case 'refusal':
      return voices.refusal
  }
}

/** True if it begins a new part although the voice stays the same. */
export function beginsPart(event: Spoken): boolean {
  return event.type === 'reasoning' && event.newPart === true
}

/** The event in the middle of its part. */
export function withinPart(event: Spoken): Spoken {
  return event.type === 'reasoning' ? { ...event, newPart: false } : event
}

/** The event with another text. */
export function saying(event: Spoken, text: string): Spoken {
  return event.type === 'text' ? { ...event, logprobs: [], text } : { ...event, text }
}

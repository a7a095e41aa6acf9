import { isSemantic, type GenerationEvent } from '../contracts/events.ts'

/** A call under the caller's name for the tool. */
export type RaisedCall = Extract<GenerationEvent, { type: 'tool-call' }> & {
  /** A custom tool call that the endpoint made as a function call: its input is a member of the arguments. */
  readonly wrapped?: true
}

/** A call that `tool_choice` does not allow. Neither the call nor its input is part of the answer. */
export interface SuppressedCall {
  readonly type: 'suppressed-call'
  readonly key: string
}

/** A provider's event after lowered tool calls were restored to the caller's tools. */
export type RaisedEvent = Exclude<GenerationEvent, { type: 'tool-call' }> | RaisedCall | SuppressedCall

/** True if an attempt counts as answered after this event. See `isSemantic`. */
export function isAnswering(event: RaisedEvent): boolean {
  return event.type !== 'suppressed-call' && isSemantic(event)
}

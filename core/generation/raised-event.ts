import { isSemantic, type GenerationEvent } from '../contracts/events.ts'

/** A call under the name that the caller knows. */
export type RaisedCall = Extract<GenerationEvent, { type: 'tool-call' }> & {
  /** A custom call that the endpoint made as a function: its input is a member of the arguments. */
  readonly wrapped?: true
}

/** A call of a tool that `tool_choice` does not allow. It is not part of the answer, and neither is its input. */
export interface SuppressedCall {
  readonly type: 'suppressed-call'
  readonly key: string
}

/** A provider's event after its calls were turned back into what the caller asked for. */
export type RaisedEvent = Exclude<GenerationEvent, { type: 'tool-call' }> | RaisedCall | SuppressedCall

/** Events after which an attempt counts as answered: see `isSemantic`. */
export function isAnswering(event: RaisedEvent): boolean {
  return event.type !== 'suppressed-call' && isSemantic(event)
}

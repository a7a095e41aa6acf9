import { isSemantic, type GenerationEvent } from '../contracts/events.ts'
import type { ItemEvent, ItemOpen } from '../contracts/item-events.ts'
import type { AgentToolType } from '../contracts/tools.ts'

/** A call under the caller's name for the tool. */
export type RaisedCall = Extract<GenerationEvent, { type: 'tool-call' }> & {
  /** A custom tool call that the endpoint made as a function call: its input is a member of the arguments. */
  readonly wrapped?: true
  /** The call is shown once it has passed this check. */
  readonly check?: CallCheck
}

/** The arguments must make a call of a tool of coding agents, or the input must match a regular expression. */
export type CallCheck = { readonly tool: AgentToolType } | { readonly regex: string; readonly wrapped?: true }

/** An item event before calls were checked. The input of a call with a check is as the endpoint wrote it. */
export type StagedEvent = ItemEvent | (ItemOpen & { readonly check?: CallCheck })

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

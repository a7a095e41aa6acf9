import type { GenerationRequest, JsonObject } from '../../../core/index.ts'
import type { ReasoningItem } from '../../../core/kit.ts'
import type { RequestBody, WireMessage } from './wire.ts'

// Reasoning is a text beside the content, under the two names that hosts of this dialect have for it. The state of a vendor is an entry of
// `reasoning_details`, sealed: docs/protocol/chat.md#reasoning.

export type Form = 'summary' | 'full'

const formats: Readonly<Record<Form, string>> = { summary: 'turnpike-summary-v1', full: 'turnpike-full-v1' }

/** `state`: as core seals it. `callId`: the call that it comes directly before, if it does. */
export function detailOf(state: string, form: Form, index: number, callId: string | undefined): JsonObject {
  return { type: 'reasoning.encrypted', data: state, id: callId ?? null, format: formats[form], index }
}

/** The reasoning of an assistant's message, in the places where it came. */
export interface Reasoning {
  readonly before: readonly ReasoningItem[]
  readonly byCall: ReadonlyMap<string, readonly ReasoningItem[]>
}

const none: Reasoning = { before: [], byCall: new Map() }

/** Core opens the states, and drops what does not open. The first item has the whole text. */
export function reasoningOf({
  reasoning,
  reasoning_content: content,
  reasoning_details: details,
  tool_calls: calls,
}: WireMessage): Reasoning {
  const text = content || reasoning || (details ?? []).map(textOf).join('')
  const states = (details ?? []).filter(detail => stateOf(detail) !== undefined)
  if (states.length === 0) return text ? { ...none, before: [item(text, 'full', undefined)] } : none
  const ids = new Set(calls?.map(({ id }) => id))
  const before: ReasoningItem[] = []
  const byCall = new Map<string, ReasoningItem[]>()
  for (const [index, detail] of states.entries()) {
    const form = detail['format'] === formats.summary ? 'summary' : 'full'
    const made = item(index === 0 ? text : '', form, stateOf(detail))
    const id = detail['id']
    if (typeof id !== 'string' || !ids.has(id)) before.push(made)
    else if (byCall.has(id)) byCall.get(id)!.push(made)
    else byCall.set(id, [made])
  }
  return { before, byCall }
}

function item(text: string, form: Form, state: string | undefined): ReasoningItem {
  return {
    type: 'reasoning',
    ...(form === 'summary' ? { summary: text ? [{ type: 'summary_text', text }] : [] } : { content: [{ type: 'reasoning_text', text }] }),
    ...(state !== undefined && { encrypted_content: state }),
  }
}

function textOf({ text, summary }: JsonObject): string {
  return typeof text === 'string' ? text : typeof summary === 'string' ? summary : ''
}

function stateOf({ data, signature }: JsonObject): string | undefined {
  const state = data ?? signature
  return typeof state === 'string' && state !== '' ? state : undefined
}

/** The effort of a request that turns reasoning on and says no more. */
const usualEffort = 'medium'

/** The members about reasoning in neutral words. */
export function reasoningSettings(body: RequestBody): GenerationRequest['reasoning'] {
  const { reasoning, thinking } = body
  const effort = body.reasoning_effort ?? reasoning?.effort ?? undefined
  const budget = reasoning?.max_tokens ?? thinking?.budget_tokens ?? undefined
  const isOff = reasoning?.enabled === false || thinking?.type === 'disabled'
  if (!reasoning && !thinking) return effort && { effort }
  if (isOff) return { effort: 'none' }
  const isOn = reasoning?.enabled === true || (thinking?.type ?? 'disabled') !== 'disabled'
  const asked = effort ?? (budget === undefined && isOn ? usualEffort : undefined)
  const summary = reasoning?.exclude ? undefined : (reasoning?.summary ?? 'auto')
  if (asked === undefined && budget === undefined && !reasoning?.summary) return undefined
  return { ...(asked && { effort: asked }), ...(budget !== undefined && { budget_tokens: budget }), ...(summary && { summary }) }
}

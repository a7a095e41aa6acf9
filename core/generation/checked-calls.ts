import type { ItemEvent, OpenedCall } from '../contracts/item-events.ts'
import { isObject, parseJson, type JsonObject } from '../foundation/json.ts'
import type { CallMembers } from './agent-tools/agent-tool.ts'
import { agentTools } from './agent-tools/table.ts'
import { inputIn } from './open-call.ts'
import type { CallCheck, StagedEvent } from './raised-event.ts'

/** A complete call that cannot be shown yet. */
export interface CallToCheck {
  readonly opened: OpenedCall
  readonly check: CallCheck
  /** As the caller would see it, if it is right. */
  input: string
  /** A sentence, if the call is known to be wrong. */
  problem: string | undefined
}

/** Replaces a call that waits by another try. */
export function retry(call: CallToCheck, input: string): void {
  call.input = input
  call.problem = problemOf(call.check, input)
}

/**
 * Stands between the stage and the answer, if calls have to be checked. Shows a call of a coding agent's tool as its own item as soon as it
 * is complete. A call that is wrong, or takes time to check, keeps itself and all that follows back until `release`.
 */
export class CheckedCalls {
  readonly #show: (event: ItemEvent) => void
  readonly #hide: (event: ItemEvent) => void
  #open: CallToCheck | undefined
  #waiting: (ItemEvent | CallToCheck)[] = []

  /** `hide`: called with calls as the model wrote them. */
  constructor(show: (event: ItemEvent) => void, hide: (event: ItemEvent) => void) {
    this.#show = show
    this.#hide = hide
  }

  get waiting(): readonly CallToCheck[] | undefined {
    return this.#waiting.length === 0 ? undefined : this.#waiting.filter(each => 'opened' in each)
  }

  write(event: StagedEvent): void {
    if ('check' in event && event.check && event.item.kind === 'call') {
      this.#hide({ type: 'item-open', item: event.item })
      this.#open = { opened: event.item, check: event.check, input: '', problem: undefined }
    } else if (!this.#open || event.type === 'extra') this.#pass(event)
    else if (event.type === 'tool-input') {
      this.#hide(event)
      this.#open.input += event.text
    } else if (event.type === 'item-close') this.#close(this.#open, event.status)
  }

  release(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const each of waiting) {
      if (!('opened' in each)) this.#show(each)
      else if (each.problem === undefined) for (const event of shownAs(each)) this.#show(event)
    }
  }

  #close(call: CallToCheck, status: 'completed' | 'incomplete'): void {
    this.#open = undefined
    const { check } = call
    if ('tool' in check) {
      // Half a call must not run.
      if (status === 'incomplete') return
      call.problem = problemOf(check, call.input)
      if (call.problem !== undefined) return void this.#waiting.push(call)
      return this.#passAll(shownAs(call))
    }
    if (check.wrapped) call.input = inputIn(call.input)
    if (status === 'completed') this.#waiting.push(call)
    else this.#passAll(customCall(call, status))
  }

  #passAll(events: readonly ItemEvent[]): void {
    for (const event of events) this.#pass(event)
  }

  #pass(event: ItemEvent): void {
    if (this.#waiting.length > 0) this.#waiting.push(event)
    else this.#show(event)
  }
}

function problemOf(check: CallCheck, input: string): string | undefined {
  const read = 'tool' in check ? membersIn(check, input) : undefined
  return read && 'problem' in read ? read.problem : undefined
}

function membersIn({ tool }: Extract<CallCheck, { tool: unknown }>, input: string): CallMembers {
  const args = input.trim() === '' ? {} : parseJson(input)
  return isObject(args) ? agentTools[tool].membersOf(args) : { problem: 'The arguments must be a JSON object.' }
}

function shownAs(call: CallToCheck): readonly ItemEvent[] {
  const { check, opened, input } = call
  if (!('tool' in check)) return customCall(call, 'completed')
  const { members } = membersIn(check, input) as { readonly members: JsonObject }
  const item = { type: agentTools[check.tool].call, call_id: opened.callId, ...members, status: 'completed' }
  return [
    { type: 'item-open', item: { kind: 'foreign', id: opened.id, item } },
    { type: 'item-close', status: 'completed' },
  ]
}

function customCall({ opened, input }: CallToCheck, status: 'completed' | 'incomplete'): readonly ItemEvent[] {
  const said: readonly ItemEvent[] = input === '' ? [] : [{ type: 'tool-input', key: opened.callId, text: input }]
  return [{ type: 'item-open', item: opened }, ...said, { type: 'item-close', status }]
}

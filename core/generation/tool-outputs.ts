import type { FunctionCallItem, FunctionCallOutputItem, InputPart, Item, MessageItem } from '../contracts/items.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { callIdOf, withCallIds } from './agent-tools/call-id.ts'
import { agentToolOfCall } from './agent-tools/table.ts'

/**
 * Moves each tool output right after its call. Throws a 400 if an output's `call_id` names no earlier call or an already answered one:
 * docs/protocol/items.md#pairs-of-calls-and-outputs. An output without a `call_id` answers an open call of the same name. If there is
 * none, it becomes a message, because most vendors reject an output without a call. The first `earlier` items are history and do not
 * count in the indexes of errors. `historyParam`: the surface's parameter that continues a stored answer, if it has one.
 */
export function pairOutputs(items: readonly Item[], earlier: number, historyParam?: string): readonly Item[] {
  const input = withCallIds(items)
  const answered = checkOutputs(input, earlier, historyParam)
  return input.some(isLoose) ? withLoosePaired(input, answered) : input
}

/** Maps the position of each answered call to the position of its output. */
type AnsweredCalls = Map<number, number>

function checkOutputs(input: readonly Item[], earlier: number, historyParam: string | undefined): AnsweredCalls | undefined {
  let calls: Map<string, number> | undefined
  let answered: AnsweredCalls | undefined
  for (const [position, item] of input.entries()) {
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        // Some vendors reuse the same call ids in every reply: an output answers the latest call.
        ;(calls ??= new Map()).set(item.call_id, position)
        break
      case 'apply_patch_call':
      case 'local_shell_call':
      case 'shell_call':
      case 'tool_search_call': {
        const callId = callIdOf(item)
        if (callId !== undefined) (calls ??= new Map()).set(callId, position)
        break
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'apply_patch_call_output':
      case 'local_shell_call_output':
      case 'shell_call_output':
      case 'tool_search_output': {
        const callId = callIdOf(item)
        if (isLoose(item) || callId === undefined) break
        const call = calls?.get(callId)
        const param = `input[${position - earlier}].${'call_id' in item ? 'call_id' : 'id'}`
        if (position < earlier && (call === undefined || answered?.has(call))) throw brokenHistory(item, callId, historyParam)
        if (call === undefined) {
          const advice = historyParam === undefined ? 'Send the call before it' : `Send the call before it, or chain with ${historyParam}`
          throw invalidRequest(wording`No tool call found for the output with call_id "${callId}". ${own(advice)}.`, param)
        }
        if (answered?.has(call)) throw invalidRequest(wording`There is more than one output for the tool call "${callId}".`, param)
        ;(answered ??= new Map()).set(call, position)
        break
      }
    }
  }
  return answered
}

/** Of a conversation whose items were added or deleted one by one. */
function brokenHistory({ type, ...item }: Item, callId: string, param: string | undefined): GatewayError {
  const where = 'id' in item ? `The item '${String(item.id)}'` : `An item of the type ${type}`
  return invalidRequest(
    wording`${where} of the earlier conversation is the output of the tool call "${callId}", but no call before it waits for that. Delete the item.`,
    param,
  )
}

/** Calls of functions may come before and after these. */
function isOtherCall({ type }: Item): boolean {
  return type === 'custom_tool_call' || agentToolOfCall(type) !== undefined
}

function isLoose(item: Item): boolean {
  return item.type === 'function_call_output' && (item.call_id as string | undefined) === undefined
}

function withLoosePaired(input: readonly Item[], answered: AnsweredCalls = new Map()): readonly Item[] {
  const open = new OpenCalls(answered)
  const callOf = new Map<number, FunctionCallItem>()
  for (const [position, item] of input.entries()) {
    if (item.type === 'function_call') open.add(item, position)
    else if (!isOtherCall(item) && item.type !== 'reasoning') open.endRound()
    if (!isLoose(item)) continue
    const call = open.take(item as FunctionCallOutputItem)
    if (call === undefined) continue
    answered.set(call, position)
    callOf.set(position, input[call] as FunctionCallItem)
  }
  return placed(input, answered, callOf)
}

/** Vendors allow nothing between a call and its output: a message waits until all calls before it are answered. */
function placed(input: readonly Item[], answered: AnsweredCalls, callOf: ReadonlyMap<number, FunctionCallItem>): readonly Item[] {
  const items: Item[] = []
  let waiting: Item[] = []
  let awaited = -1
  for (const [position, item] of input.entries()) {
    const call = callOf.get(position)
    if (call) items.push(paired(item as FunctionCallOutputItem, call))
    else if (isLoose(item)) waiting.push(asMessage(item as FunctionCallOutputItem))
    else items.push(item)
    awaited = Math.max(awaited, answered.get(position) ?? -1)
    if (position < awaited) continue
    items.push(...waiting)
    waiting = []
  }
  return items
}

/** Drops the name. It only served to find the call, and vendors match by `call_id`. */
function paired({ name: _name, namespace: _namespace, ...output }: FunctionCallOutputItem, { call_id }: FunctionCallItem): Item {
  return { ...output, call_id }
}

/** Becomes a user message: tool results must not instruct the model, and only users may send files. */
function asMessage({ name, namespace, output }: FunctionCallOutputItem): MessageItem {
  const tool = name === undefined ? 'a tool' : `the tool "${namespace === undefined ? name : `${namespace}.${name}`}"`
  const parts: readonly InputPart[] = typeof output === 'string' ? [{ type: 'input_text', text: output }] : output
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text: `Output of ${tool}:` }, ...parts] }
}

/** Calls that no `call_id` answers, by the tool name that an output without a `call_id` may give. */
class OpenCalls {
  readonly #answered: AnsweredCalls
  readonly #rounds = new Map<string, Round[]>()
  #round = 0

  constructor(answered: AnsweredCalls) {
    this.#answered = answered
  }

  add({ name, namespace }: FunctionCallItem, position: number): void {
    if (this.#answered.has(position)) return
    for (const key of new Set([keyOf({}), keyOf({ name }), keyOf({ name, namespace })])) {
      const rounds = this.#rounds.get(key) ?? []
      const last = rounds.at(-1)
      if (last?.number === this.#round) last.positions.push(position)
      else rounds.push({ number: this.#round, positions: [position], taken: 0 })
      this.#rounds.set(key, rounds)
    }
  }

  endRound(): void {
    this.#round += 1
  }

  /** The first matching call of the latest round that has one: outputs come in the order of their calls. */
  take(output: Pick<FunctionCallOutputItem, 'name' | 'namespace'>): number | undefined {
    const rounds = this.#rounds.get(keyOf(output)) ?? []
    for (let last = rounds.at(-1); last; last = rounds.at(-1)) {
      const position = last.positions[last.taken++]
      if (position === undefined) rounds.pop()
      else if (!this.#answered.has(position)) return position
    }
    return undefined
  }
}

interface Round {
  readonly number: number
  readonly positions: number[]
  /** How many positions have been checked. */
  taken: number
}

function keyOf({ name, namespace }: { readonly name?: string | undefined; readonly namespace?: string | undefined }): string {
  return JSON.stringify([name, namespace])
}

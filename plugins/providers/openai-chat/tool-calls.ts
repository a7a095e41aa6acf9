import type { Emit } from '../../../core/index.ts'
import { unwrapInput, type OfferedTool } from './tools.ts'
import type { ToolCall } from './wire.ts'

type Tool = Pick<OfferedTool, 'isCustom' | 'isWrapped'>

interface OpenCall {
  readonly key: string
  readonly index: number | undefined
  readonly id: string | undefined
  /** Undefined until the vendor tells: then the call is not announced yet. */
  tool: Tool | undefined
  /** Input that is not passed on yet. */
  held: string
  hasInput: boolean
}

/** The calls of one answer, from pieces that name their call by index, by id, or not at all. */
export class ToolCalls {
  readonly #offered: ReadonlyMap<string, OfferedTool>
  readonly #calls: OpenCall[] = []

  constructor(offered: readonly OfferedTool[]) {
    this.#offered = new Map(offered.map(tool => [tool.wireName, tool]))
  }

  get count(): number {
    return this.#calls.filter(call => call.tool).length
  }

  add(piece: ToolCall, emit: Emit): void {
    const name = piece.function?.name || piece.custom?.name || undefined
    const call = this.#find(piece, name) ?? this.#open(piece)
    if (!call.tool && name) call.tool = this.#announce(call, name, piece, emit)
    call.held += inputOf(piece)
    if (call.tool && !isHeld(call, call.tool)) this.#pass(call, call.held, emit)
  }

  /** The answer is over: what was held back, and the arguments of calls that have none. Those of an answer that was `cut` may only be missing. */
  end(cut: boolean, emit: Emit): void {
    for (const call of this.#calls) {
      if (!call.tool) continue
      if (call.tool.isWrapped) this.#pass(call, unwrapInput(call.held), emit)
      else if (!call.tool.isCustom && !call.hasInput) this.#pass(call, !cut && isNothing(call.held) ? '{}' : call.held, emit)
    }
  }

  #find({ index, id }: ToolCall, name: string | undefined): OpenCall | undefined {
    // Some hosts give every call the index 0: a new name with another id is another call.
    const differs = (call: OpenCall): boolean => Boolean(name && id && call.id && call.id !== id)
    if (typeof index === 'number') return this.#calls.findLast(call => call.index === index && !differs(call))
    if (id) return this.#calls.findLast(call => call.id === id)
    return name ? undefined : this.#calls.at(-1)
  }

  #open({ index, id }: ToolCall): OpenCall {
    const key = String(this.#calls.length)
    const call: OpenCall = { key, index: index ?? undefined, id: id || undefined, tool: undefined, held: '', hasInput: false }
    this.#calls.push(call)
    return call
  }

  #announce(call: OpenCall, wireName: string, piece: ToolCall, emit: Emit): Tool {
    const offered = this.#offered.get(wireName)
    const isCustom = offered?.isCustom ?? Boolean(piece.custom)
    emit({
      type: 'tool-call',
      key: call.key,
      ...(call.id && { callId: call.id }),
      name: offered?.name ?? wireName,
      ...(offered?.namespace && { namespace: offered.namespace }),
      ...(isCustom && { custom: true }),
    })
    return { isCustom, isWrapped: offered?.isWrapped ?? false }
  }

  #pass(call: OpenCall, text: string, emit: Emit): void {
    call.held = ''
    if (text === '') return
    call.hasInput = true
    emit({ type: 'tool-input', key: call.key, text })
  }
}

function inputOf({ function: called, custom }: ToolCall): string {
  const input = called?.arguments ?? custom?.input
  if (input === undefined || input === null) return ''
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/** A wrapped input is only known when all of it is there; and what begins like `null` may still become a call without arguments. */
function isHeld(call: OpenCall, { isWrapped, isCustom }: Tool): boolean {
  return isWrapped || (!isCustom && !call.hasInput && 'null'.startsWith(call.held))
}

function isNothing(args: string): boolean {
  return args === '' || args === 'null'
}

import type { Emit } from '../../core/kit.ts'
import type { ToolCall } from './wire.ts'

interface OpenCall {
  readonly key: string
  readonly index: number | undefined
  readonly id: string | undefined
  /** The call is announced once its name is known. */
  isAnnounced: boolean
  isCustom: boolean
  /** Input that was not emitted yet. */
  held: string
  hasInput: boolean
}

/** Assembles the calls of one answer from pieces that identify their call by index, by id, or not at all. */
export class ToolCalls {
  readonly #calls: OpenCall[] = []
  /** The last call of each kind: an answer may have thousands of calls, and each of its pieces looks for one. */
  #byIndex: Map<number, OpenCall> | undefined
  #withoutId: Map<number, OpenCall> | undefined
  #byId: Map<string, OpenCall> | undefined

  get count(): number {
    return this.#calls.filter(call => call.isAnnounced).length
  }

  add(piece: ToolCall, emit: Emit): void {
    const name = piece.function?.name || piece.custom?.name || undefined
    const call = this.#find(piece, name) ?? this.#open(piece)
    if (!call.isAnnounced && name) announce(call, name, piece, emit)
    call.held += inputOf(piece)
    if (call.isAnnounced && !isHeld(call)) pass(call, call.held, emit)
  }

  /** Ends the answer. Calls without arguments get `{}`, unless they stay `asSaid`: those of an answer that was cut may be missing. */
  end(asSaid: boolean, emit: Emit): void {
    for (const call of this.#calls) {
      if (!call.isAnnounced || call.isCustom || call.hasInput) continue
      pass(call, !asSaid && isNothing(call.held) ? '{}' : call.held, emit)
    }
  }

  #find({ index, id }: ToolCall, name: string | undefined): OpenCall | undefined {
    if (typeof index !== 'number') return id ? this.#byId?.get(id) : name ? undefined : this.#calls.at(-1)
    const last = this.#byIndex?.get(index)
    // Some hosts give every call the index 0: a new name with another id is another call.
    if (!name || !id || !last?.id || last.id === id) return last
    const same = this.#byId?.get(id)
    return same?.index === index ? same : this.#withoutId?.get(index)
  }

  #open({ index, id }: ToolCall): OpenCall {
    const key = String(this.#calls.length)
    const call = { key, index: index ?? undefined, id: id || undefined, isAnnounced: false, isCustom: false, held: '', hasInput: false }
    this.#calls.push(call)
    if (call.index !== undefined) (this.#byIndex ??= new Map()).set(call.index, call)
    if (call.id !== undefined) (this.#byId ??= new Map()).set(call.id, call)
    else if (call.index !== undefined) (this.#withoutId ??= new Map()).set(call.index, call)
    return call
  }
}

function announce(call: OpenCall, name: string, piece: ToolCall, emit: Emit): void {
  call.isAnnounced = true
  call.isCustom = Boolean(piece.custom)
  emit({ type: 'tool-call', key: call.key, ...(call.id && { callId: call.id }), name, ...(call.isCustom && { custom: true }) })
}

function pass(call: OpenCall, text: string, emit: Emit): void {
  call.held = ''
  if (text === '') return
  call.hasInput = true
  emit({ type: 'tool-input', key: call.key, text })
}

function inputOf({ function: called, custom }: ToolCall): string {
  const input = called?.arguments ?? custom?.input
  if (input === undefined || input === null) return ''
  return typeof input === 'string' ? input : JSON.stringify(input)
}

/** Input that starts like `null` may be a call without arguments. */
function isHeld({ isCustom, hasInput, held }: OpenCall): boolean {
  return !isCustom && !hasInput && 'null'.startsWith(held)
}

function isNothing(args: string): boolean {
  return args === '' || args === 'null'
}

import type { Emit } from '../../contracts/adapter.ts'
import type { GenerationEvent } from '../../contracts/events.ts'
import { isJson, isObject, parseJson } from '../../json.ts'
import type { Raise } from './draft.ts'
import { raiseEach } from './raise-each.ts'
import type { ToolForm, ToolNames } from './tool-names.ts'

type ToolCall = Extract<GenerationEvent, { type: 'tool-call' }>

/** Calls by the names and of the types that the caller knows. Those of tools that were never offered pass as they are. */
export function raiseCalls(names: ToolNames, form: ToolForm): Raise {
  return raiseEach(() => {
    const calls = new RaisedCalls(names, form)
    return (event, emit) => calls.take(event, emit)
  })
}

interface OpenCall {
  readonly key: string
  /** A custom call, made as a function: its input stands in the arguments, and is known when they are whole. */
  readonly isWrapped: boolean
  readonly isCustom: boolean
  args: string
  checkedLength: number
}

class RaisedCalls {
  readonly #names: ToolNames
  readonly #form: ToolForm
  readonly #wrapped = new Set<string>()
  /** Calls that may go on, in the order of their beginning. */
  #open: OpenCall[] = []

  constructor(names: ToolNames, form: ToolForm) {
    this.#names = names
    this.#form = form
  }

  take(event: GenerationEvent, emit: Emit): void {
    switch (event.type) {
      case 'tool-call':
        this.#endComplete(emit)
        return this.#begin(event, emit)
      case 'tool-input':
        return this.#input(event.key, event, emit)
      case 'item-end':
      case 'finish':
        for (const call of this.#open) tell(call, emit)
        this.#open = []
        return emit(event)
      case 'model':
      case 'usage':
      case 'warning':
        return emit(event)
      default:
        this.#endComplete(emit)
        return emit(event)
    }
  }

  #begin({ name: told, namespace: within, custom, ...call }: ToolCall, emit: Emit): void {
    const tool = this.#names.find(told, within)
    const isCustom = tool ? tool.type === 'custom' : custom === true
    const isWrapped = isCustom && this.#form.functionsOnly && tool !== undefined && !custom
    const { name, namespace } = tool ?? { name: told, namespace: within }
    if (isWrapped) this.#wrapped.add(call.key)
    this.#open.push({ key: call.key, isWrapped, isCustom, args: '', checkedLength: 0 })
    emit({ ...call, name, ...(namespace && { namespace }), ...(isCustom && { custom: true }) })
  }

  #input(key: string, event: Extract<GenerationEvent, { type: 'tool-input' }>, emit: Emit): void {
    const call = this.#open.find(open => open.key === key)
    if (call !== this.#open[0]) this.#endComplete(emit)
    if (call) call.args += event.text
    // What follows a wrapped call that is over can only be white space.
    if (!this.#wrapped.has(key)) emit(event)
  }

  /** Something else speaks: calls whose arguments are whole are over, so that what follows need not wait for them. */
  #endComplete(emit: Emit): void {
    while (this.#open[0] && isComplete(this.#open[0])) {
      const call = this.#open.shift()!
      tell(call, emit)
      // Text has no end of its own, as JSON has.
      if (call.isWrapped) emit({ type: 'item-end' })
    }
  }
}

function tell({ key, isWrapped, args }: OpenCall, emit: Emit): void {
  if (!isWrapped) return
  const text = inputIn(args)
  if (text !== '') emit({ type: 'tool-input', key, text })
}

function isComplete(call: OpenCall): boolean {
  if ((call.isCustom && !call.isWrapped) || call.args.length === call.checkedLength) return false
  call.checkedLength = call.args.length
  return call.args.trimEnd().endsWith('}') && isJson(call.args)
}

/** The input in a custom call's arguments; what is no such thing, such as arguments that were cut off, stays as it came. */
function inputIn(args: string): string {
  const object = parseJson(args)
  if (!isObject(object)) return args
  if (Object.keys(object).length === 0) return ''
  const { input } = object
  return typeof input === 'string' ? input : args
}

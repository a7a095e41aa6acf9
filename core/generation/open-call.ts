import type { OpenedCall } from '../contracts/item-events.ts'
import { isJson, isObject, parseJson } from '../foundation/json.ts'
import { agentTools } from './agent-tools/table.ts'
import type { CallCheck, RaisedCall } from './raised-event.ts'

/** A call whose input is still arriving. */
export class OpenCall {
  readonly callId: string
  readonly #call: RaisedCall
  #input = ''
  #checkedLength = -1
  #isOver = false

  constructor(call: RaisedCall, callId: string) {
    this.#call = call
    this.callId = callId
  }

  get check(): CallCheck | undefined {
    return this.#call.check
  }

  /** The type of the item that shows the call. */
  get itemType(): string {
    const { check } = this.#call
    if (check && 'tool' in check) return agentTools[check.tool].call
    return this.isCustom ? 'custom_tool_call' : 'function_call'
  }

  get isCustom(): boolean {
    return this.#call.custom === true
  }

  /** Arguments are complete once they are a JSON document. Free text is complete once the provider says so. */
  get isComplete(): boolean {
    if (this.#isOver) return true
    if (this.isCustom && !this.#call.wrapped) return false
    if (this.#checkedLength !== this.#input.length) {
      this.#checkedLength = this.#input.length
      this.#isOver = isJson(this.#input)
    }
    return this.#isOver
  }

  opened(id: string): OpenedCall {
    const { name, namespace } = this.#call
    return { kind: 'call', id, callId: this.callId, name, ...(namespace && { namespace }), custom: this.isCustom }
  }

  /** The input that can be emitted now. Empty while the input is wrapped in arguments, unless it is checked later. */
  add(text: string): string {
    this.#input += text
    return this.#unwraps ? '' : text
  }

  /** The provider says that the input is complete. */
  end(): void {
    this.#isOver = true
  }

  /** The rest of the input. */
  close(): string {
    return this.#unwraps ? inputIn(this.#input) : ''
  }

  get #unwraps(): boolean {
    return this.#call.wrapped === true && !this.#call.check
  }
}

/** Unwraps a custom call's input from its arguments. Truncated arguments are returned as they are. */
export function inputIn(args: string): string {
  const object = parseJson(args)
  if (!isObject(object)) return args
  if (Object.keys(object).length === 0) return ''
  const { input } = object
  return typeof input === 'string' ? input : args
}

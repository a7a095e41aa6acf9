import type { JsonObject } from '../../../core/index.ts'
import { appended, type OpenedCall } from '../../../core/kit.ts'
import { withMembers } from './accumulated.ts'

interface Call {
  readonly opened: OpenedCall
  input: string
  extra: JsonObject | undefined
}

/** The calls of a choice: `tool_calls`, or `function_call` in the older form, which has room for the first. */
export class Calls {
  readonly #isOlder: boolean
  readonly #tell: ((delta: JsonObject) => void) | undefined
  readonly #calls: Call[] = []

  constructor(isOlder: boolean, tell: ((delta: JsonObject) => void) | undefined) {
    this.#isOlder = isOlder
    this.#tell = tell
  }

  get count(): number {
    return this.#calls.length
  }

  open(opened: OpenedCall): void {
    const call: Call = { opened, input: '', extra: undefined }
    this.#calls.push(call)
    if (!this.#isOlder) this.#tell?.({ tool_calls: [{ index: this.#calls.length - 1, ...whole(call) }] })
    else if (this.#calls.length === 1) this.#tell?.({ function_call: { name: opened.name, arguments: '' } })
  }

  write(piece: { readonly text: string }): void {
    const { text } = piece
    const index = this.#calls.length - 1
    const call = this.#calls[index]!
    call.input = appended(call.input, piece)
    if (!this.#tell || text === '') return
    if (!this.#isOlder)
      this.#tell({ tool_calls: [{ index, ...(call.opened.custom ? { custom: { input: text } } : { function: { arguments: text } }) }] })
    else if (index === 0) this.#tell({ function_call: { arguments: text } })
  }

  /** Members of the open call that only the vendor's dialect has. */
  extra(fields: JsonObject): void {
    const index = this.#calls.length - 1
    const call = this.#calls[index]!
    call.extra = call.extra ? withMembers(call.extra, fields) : fields
    if (!this.#isOlder) this.#tell?.({ tool_calls: [{ index, ...fields }] })
  }

  /** The members of the finished message. */
  get members(): JsonObject {
    const [first] = this.#calls
    if (!first) return {}
    if (this.#isOlder) return { function_call: { name: first.opened.name, arguments: first.input } }
    return { tool_calls: this.#calls.map(whole) }
  }
}

function whole({ opened, input, extra }: Call): JsonObject {
  const { callId: id, name, custom } = opened
  return custom
    ? { id, type: 'custom', custom: { name, input }, ...extra }
    : { id, type: 'function', function: { name, arguments: input }, ...extra }
}

import { isObject, type JsonObject } from '../../../core/index.ts'

/** The longest output of a call that is kept and shown, in characters. */
export const maxOutputLength = 40_000

/** The outcome of a call. */
export interface McpOutcome {
  /** The text for the model. */
  readonly output: string
  /** Set if the call failed: the `error` of its item. */
  readonly error?: JsonObject
}

/** From the result of a call, as the protocol has it. `refusal`: the code of the error that it stands for. */
export function outcomeOf(result: JsonObject, refusal: number | undefined, masked: (text: string) => string): McpOutcome {
  const { content, structuredContent, isError } = result
  const said = Array.isArray(content) ? content.map(textOfPart).join('\n') : ''
  const text = said === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : said
  const output = masked(text).slice(0, maxOutputLength).toWellFormed()
  if (refusal !== undefined) return { output, error: protocolError(output, refusal) }
  return isError === true ? { output, error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: output }] } } : { output }
}

/** By default, with the code of the protocol for a server that fails. */
export function protocolError(message: string, code = -32_000): JsonObject {
  return { type: 'mcp_protocol_error', code, message }
}

export function httpError(code: number, message: string): JsonObject {
  return { type: 'http_error', code, message }
}

/** The text of the `error` of an item. Undefined if there is none. */
export function errorText(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  if (!isObject(error)) return undefined
  const { message, content } = error
  if (typeof message === 'string') return message
  return Array.isArray(content) ? content.map(textOfPart).join('\n') : JSON.stringify(error)
}

function textOfPart(part: unknown): string {
  if (!isObject(part)) return ''
  if (typeof part['text'] === 'string') return part['text']
  const { resource } = part
  if (isObject(resource) && typeof resource['text'] === 'string') return resource['text']
  return `[${String(part['type']).slice(0, 40)}]`
}

import type { Item } from '../../../core/index.ts'
import type { InputPart, Part, UpstreamRequestBody } from '../../../core/kit.ts'

/** A call of one of the caller's tools, from the conversation. */
interface PastCall {
  readonly name: string
  readonly namespace: string | undefined
  readonly callId: string
}

/** The text of the last user message, else of the last message. Images and files appear in brackets. */
export function lastText({ input, instructions }: UpstreamRequestBody): string {
  const messages = input.filter(item => item.type === 'message')
  const message = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return message ? textOf(message.content) : (instructions ?? '')
}

export function textOf(content: string | readonly Part[]): string {
  return typeof content === 'string' ? content : content.map(partText).join('\n')
}

function partText(part: Part | InputPart): string {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text
    case 'refusal':
      return part.refusal
    case 'input_image':
      return '[image]'
    case 'input_file':
      return `[file ${part.filename ?? part.file_url ?? part.file_id ?? 'without a name'}]`
    case 'vendor':
      return '[content of another API]'
  }
}

/** The calls since the last user message. */
export function callsOfTurn(input: readonly Item[]): readonly PastCall[] {
  return callsIn(input.slice(input.findLastIndex(item => item.type === 'message' && item.role === 'user') + 1))
}

export function callsIn(input: readonly Item[]): readonly PastCall[] {
  return input.flatMap(item =>
    item.type === 'function_call' || item.type === 'custom_tool_call'
      ? [{ name: item.name, namespace: item.namespace, callId: item.call_id }]
      : [],
  )
}

/** Quotes the outputs at the end of the conversation, one per line. Undefined if it does not end with one. */
export function quotedOutputs(input: readonly Item[]): string | undefined {
  const isOutput = (item: Item): boolean => item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
  const last = input.at(-1)
  if (!last || !isOutput(last)) return undefined
  const names = new Map(callsIn(input).map(call => [call.callId, call.namespace ? `${call.namespace}.${call.name}` : call.name]))
  const turn = input.slice(input.findLastIndex(item => item.type === 'message' && item.role === 'user') + 1)
  return turn
    .flatMap(item =>
      item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
        ? [`${names.get(item.call_id) ?? item.call_id} returned: ${textOf(item.output)}`]
        : [],
    )
    .join('\n')
}

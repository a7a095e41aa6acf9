import type { Endpoint, Item, ProviderCall } from '../../../core/index.ts'
import { jsonInstruction, type TextFormat } from '../../../core/kit.ts'
import { isEnforceable } from './schema.ts'
import { offeredTools } from './tools.ts'
import type { ChatSettings } from './wire.ts'

/** How to request an answer in JSON: a format that the vendor enforces, a line of instructions, or both. */
export interface AnswerFormat {
  readonly enforced?: ChatSettings['response_format']
  readonly line?: string
}

export function enforcesFormat(format: TextFormat, _endpoint: Endpoint): boolean {
  return format.type !== 'json_schema' || isEnforceable(format.schema)
}

/**
 * A request with tools cannot enforce a format ("Chat", response_format). If the prompt does not ask for JSON, JSON mode makes the model
 * write endless white space ("Structured Outputs", JSON mode).
 */
export function answerFormat({ request }: ProviderCall): AnswerFormat {
  const wanted = request.text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const schema = wanted.type === 'json_schema' ? wanted.schema : undefined
  if (offeredTools(request).length > 0 && request.tool_choice !== 'none') return { line: jsonInstruction(schema) }
  return {
    enforced: { type: 'json_object', ...(schema && { json_schema: schema }) },
    ...(!/json/i.test(`${request.instructions} ${request.input.map(textOf).join(' ')}`) && { line: jsonInstruction() }),
  }
}

function textOf(item: Item): string {
  return item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : '')).join(' ') : ''
}

import type { Item, ProviderCall } from '../../../core/index.ts'
import { jsonInstruction } from '../../../core/kit.ts'
import { offeredTools } from './tools.ts'
import type { ChatSettings } from './wire.ts'

/** How to request an answer in JSON: a format that the vendor enforces, a line of instructions, or both. */
export interface AnswerFormat {
  readonly enforced?: ChatSettings['format']
  readonly line?: string
}

/**
 * With an enforced format, the model cannot call tools. The vendor recommends that the prompt also ask for JSON ("Structured outputs"):
 * otherwise models write white space.
 */
export function answerFormat({ request }: ProviderCall): AnswerFormat {
  const wanted = request.text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const schema = wanted.type === 'json_schema' ? wanted.schema : undefined
  const line = jsonInstruction(schema)
  if (offeredTools(request).length > 0) return { line }
  const isRequested = /json/i.test(`${request.instructions} ${request.input.map(textOf).join(' ')}`)
  return { enforced: schema ?? 'json', ...(!isRequested && { line }) }
}

function textOf(item: Item): string {
  return item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : '')).join(' ') : ''
}

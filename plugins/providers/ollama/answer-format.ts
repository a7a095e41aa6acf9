import type { Item, ProviderCall } from '../../../core/index.ts'
import { offeredTools } from './tools.ts'
import type { ChatSettings } from './wire.ts'

/** How an answer in JSON is asked for: in a form that the vendor enforces, in a line of instructions, or both. */
export interface AnswerFormat {
  readonly enforced?: ChatSettings['format']
  readonly line?: string
}

/**
 * A format that is enforced leaves the model no way to call a tool. The vendor wants the format told in words too ("Structured
 * outputs"): of one that nobody speaks of, models write white space.
 */
export function answerFormat({ request }: ProviderCall): AnswerFormat {
  const wanted = request.text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const nothingElse = 'and nothing else: no other text, no code fence.'
  const schema = wanted.type === 'json_schema' ? wanted.schema : undefined
  const line = schema
    ? `Answer with one JSON value that matches this JSON Schema ${nothingElse}\n${JSON.stringify(schema)}`
    : `Answer with one JSON object ${nothingElse}`
  if (offeredTools(request).length > 0) return { line }
  const isTold = /json/i.test(`${request.instructions} ${request.input.map(textOf).join(' ')}`)
  return { enforced: schema ?? 'json', ...(!isTold && { line }) }
}

function textOf(item: Item): string {
  return item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : '')).join(' ') : ''
}

import type { Endpoint, Item, ProviderCall, TextFormat } from '../../../core/index.ts'
import { isEnforceable } from './schema.ts'
import { offeredTools } from './tools.ts'
import type { ChatSettings } from './wire.ts'

/** How an answer in JSON is asked for: in a form that the vendor enforces, in a line of instructions, or both. */
export interface AnswerFormat {
  readonly enforced?: ChatSettings['response_format']
  readonly line?: string
}

export function enforces(format: TextFormat, _endpoint: Endpoint): boolean {
  return format.type !== 'json_schema' || isEnforceable(format.schema)
}

const nothingElse = 'and nothing else: no other text, no code fence.'
const objectLine = `Answer with one JSON object ${nothingElse}`

/**
 * A format cannot be enforced in a request that offers tools ("Chat", response_format). One that nobody speaks of has the model write
 * white space without end ("Structured Outputs", JSON mode).
 */
export function answerFormat({ request }: ProviderCall): AnswerFormat {
  const wanted = request.text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const schema = wanted.type === 'json_schema' ? wanted.schema : undefined
  if (offeredTools(request).length > 0 && request.tool_choice !== 'none')
    return {
      line: schema ? `Answer with one JSON value that matches this JSON Schema ${nothingElse}\n${JSON.stringify(schema)}` : objectLine,
    }
  return {
    enforced: { type: 'json_object', ...(schema && { json_schema: schema }) },
    ...(!/json/i.test(`${request.instructions} ${request.input.map(textOf).join(' ')}`) && { line: objectLine }),
  }
}

function textOf(item: Item): string {
  return item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : '')).join(' ') : ''
}

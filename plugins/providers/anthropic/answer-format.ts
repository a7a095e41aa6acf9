import type { JsonObject, ProviderCall, TextFormat } from '../../../core/index.ts'
import type { ModelTraits } from './models.ts'
import { enforceableSchema } from './schema.ts'
import type { OutputConfig } from './wire.ts'

/** How an answer in JSON is asked for: as a schema that the vendor enforces, else in a line of instructions. */
export interface AnswerFormat {
  readonly enforced?: OutputConfig['format']
  readonly line?: string
}

export function answerFormat({ request, endpoint }: ProviderCall, traits: ModelTraits): AnswerFormat {
  const wanted: TextFormat | undefined = request.text?.format
  if (wanted?.type === 'json_object') return { line: 'Answer with one JSON object and nothing else: no other text, no code fence.' }
  if (wanted?.type !== 'json_schema') return {}
  const { structuredOutput = 'json_schema' } = endpoint.capabilities
  const schema = wanted.schema as JsonObject
  const enforceable = traits.structuredOutput && structuredOutput === 'json_schema' ? enforceableSchema(schema) : undefined
  if (enforceable) return { enforced: { type: 'json_schema', schema: enforceable } }
  const line = 'Answer with one JSON value that matches this JSON Schema and nothing else: no other text, no code fence.'
  return { line: `${line}\n${JSON.stringify(schema)}` }
}

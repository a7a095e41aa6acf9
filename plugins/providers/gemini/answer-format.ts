import type { JsonObject, ProviderCall } from '../../../core/index.ts'
import type { ModelTraits } from './models.ts'
import { enforceableSchema } from './schema.ts'
import type { GenerationConfig } from './wire.ts'

/** How an answer in JSON is asked for: in a form that the vendor enforces, else in a line of instructions. */
export interface AnswerFormat {
  readonly enforced?: Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'>
  readonly line?: string
}

/** Models before Gemini 3 refuse a request that asks for JSON and offers tools ("Structured outputs", with tools). */
export function answerFormat({ request, endpoint }: ProviderCall, traits: ModelTraits, offersTools: boolean): AnswerFormat {
  const wanted = request.text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const { structuredOutput = 'json_schema' } = endpoint.capabilities
  const enforceable = structuredOutput !== 'none' && (traits.formatWithTools || !offersTools)
  const responseMimeType = 'application/json'
  if (wanted.type === 'json_object') {
    if (enforceable) return { enforced: { responseMimeType } }
    return { line: 'Answer with one JSON object and nothing else: no other text, no code fence.' }
  }
  const schema = wanted.schema as JsonObject
  if (enforceable && structuredOutput === 'json_schema')
    return { enforced: { responseMimeType, responseJsonSchema: enforceableSchema(schema) } }
  const line = 'Answer with one JSON value that matches this JSON Schema and nothing else: no other text, no code fence.'
  return { ...(enforceable && { enforced: { responseMimeType } }), line: `${line}\n${JSON.stringify(schema)}` }
}

import type { Endpoint, ProviderCall, TextFormat } from '../../../core/index.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { enforceableSchema } from './schema.ts'
import type { GenerationConfig } from './wire.ts'

/** How an answer in JSON is asked for: in a form that the vendor enforces, else in a line of instructions. */
export interface AnswerFormat {
  readonly enforced?: Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'>
  readonly line?: string
}

export function enforces(_format: TextFormat, endpoint: Endpoint): boolean {
  return traitsOf(endpoint).format
}

/** Models before Gemini 3 refuse a request that asks for JSON and offers tools ("Structured outputs", with tools). */
export function answerFormat({ text }: ProviderCall['request'], traits: ModelTraits, offersTools: boolean): AnswerFormat {
  const wanted = text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const enforceable = traits.formatWithTools || !offersTools
  const responseMimeType = 'application/json'
  if (wanted.type === 'json_schema') {
    if (enforceable) return { enforced: { responseMimeType, responseJsonSchema: enforceableSchema(wanted.schema) } }
    const line = 'Answer with one JSON value that matches this JSON Schema and nothing else: no other text, no code fence.'
    return { line: `${line}\n${JSON.stringify(wanted.schema)}` }
  }
  if (enforceable) return { enforced: { responseMimeType } }
  return { line: 'Answer with one JSON object and nothing else: no other text, no code fence.' }
}

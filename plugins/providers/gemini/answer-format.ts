import type { Endpoint, ProviderCall } from '../../../core/index.ts'
import { jsonInstruction, type TextFormat } from '../../../core/kit.ts'
import { traitsOf, type ModelTraits } from './models.ts'
import { enforceableSchema } from './schema.ts'
import type { GenerationConfig } from './wire.ts'

/** How to request an answer in JSON: a format that the vendor enforces, else a line of instructions. */
export interface AnswerFormat {
  readonly enforced?: Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'>
  readonly line?: string
}

export function enforcesFormat(_format: TextFormat, endpoint: Endpoint): boolean {
  return traitsOf(endpoint).format
}

/** Models before Gemini 3 reject a request that has both a JSON format and tools ("Structured outputs", with tools). */
export function answerFormat({ text }: ProviderCall['request'], traits: ModelTraits, offersTools: boolean): AnswerFormat {
  const wanted = text?.format
  if (wanted === undefined || wanted.type === 'text') return {}
  const enforceable = traits.formatWithTools || !offersTools
  const responseMimeType = 'application/json'
  if (wanted.type === 'json_schema') {
    if (enforceable) return { enforced: { responseMimeType, responseJsonSchema: enforceableSchema(wanted.schema) } }
    return { line: jsonInstruction(wanted.schema) }
  }
  if (enforceable) return { enforced: { responseMimeType } }
  return { line: jsonInstruction() }
}

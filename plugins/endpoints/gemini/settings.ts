import { invalidRequest, type GenerationRequest, type JsonObject } from '../../../core/index.ts'
import { type Effort, type TextFormat, wording } from '../../../core/kit.ts'
import type { GenerationConfig } from './request-body.ts'
import { isStrict, jsonSchemaOf } from './schema.ts'

/** The effort of a model that decides how much it thinks, for models that have to be told. */
const dynamicEffort = 'medium'

const levels: Readonly<Record<string, Effort>> = { MINIMAL: 'minimal', LOW: 'low', MEDIUM: 'medium', HIGH: 'high' }
const thinkingPath = 'generationConfig.thinkingConfig'

/** `thinkingConfig` in neutral words. */
export function reasoningSettings({ thinkingConfig }: GenerationConfig): GenerationRequest['reasoning'] {
  if (!thinkingConfig) return undefined
  const { thinkingBudget: budget, thinkingLevel, includeThoughts } = thinkingConfig
  const summary = includeThoughts === true ? ({ summary: 'auto' } as const) : {}
  const level = thinkingLevel?.toUpperCase()
  if (level !== undefined && level !== '' && level !== 'THINKING_LEVEL_UNSPECIFIED') {
    const effort = levels[level]
    if (!effort)
      throw invalidRequest(
        wording`thinkingLevel must be MINIMAL, LOW, MEDIUM or HIGH, got ${JSON.stringify(thinkingLevel!.slice(0, 64))}.`,
        `${thinkingPath}.thinkingLevel`,
      )
    return { effort, ...summary }
  }
  if (budget === 0) return { effort: 'none' }
  if (budget === -1) return { effort: dynamicEffort, ...summary }
  if (budget !== undefined) return { budget_tokens: budget, ...summary }
  return includeThoughts === true ? summary : undefined
}

/** The format of the answer. Undefined for text, and for formats that no other API has. */
export function formatOf({ responseMimeType: type = '', responseSchema, responseJsonSchema }: GenerationConfig): TextFormat | undefined {
  const isJson = type === 'application/json'
  if (type !== '' && !isJson) return undefined
  const schema = responseJsonSchema ?? (responseSchema && jsonSchemaOf(responseSchema))
  if (schema) return { type: 'json_schema', name: 'output', schema, ...(isStrict(schema) && { strict: true }) }
  return isJson ? { type: 'json_object' } : undefined
}

const known = new Set([
  'temperature',
  'topP',
  'topK',
  'maxOutputTokens',
  'stopSequences',
  'candidateCount',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'responseLogprobs',
  'logprobs',
  'thinkingConfig',
])

/** Members that the neutral request cannot say, each with its path. */
export function otherSettings(config: GenerationConfig): JsonObject {
  const hasFormat = formatOf(config) !== undefined
  const isText = config.responseMimeType === 'text/plain' || config.responseMimeType === ''
  const fields: Record<string, unknown> = {}
  for (const name in config) {
    if (known.has(name)) continue
    if (name === 'responseModalities' && isTextAlone(config[name])) continue
    if (name === 'responseMimeType' && (hasFormat || isText)) continue
    if ((name === 'responseSchema' || name === 'responseJsonSchema') && hasFormat) continue
    fields[`generationConfig.${name}`] = config[name]
  }
  return fields
}

function isTextAlone(modalities: unknown): boolean {
  return Array.isArray(modalities) && modalities.every(each => typeof each === 'string' && each.toUpperCase() === 'TEXT')
}

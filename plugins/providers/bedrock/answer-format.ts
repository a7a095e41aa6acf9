import type { Endpoint } from '../../../core/index.ts'
import type { TextFormat, UpstreamRequestBody } from '../../../core/kit.ts'
import { claudeTraitsOf } from '../anthropic/models.ts'
import { enforceableSchema } from '../../../dialects/messages/schema.ts'
import { traitsOf } from './models.ts'
import type { OutputConfig } from './wire.ts'

type Named = Pick<Endpoint, 'model' | 'upstreamModel'>

/** True if the vendor enforces schemas for the model. */
export function isStructured(endpoint: Named): boolean {
  const { structuredOutput, reasoning } = traitsOf(endpoint)
  return structuredOutput && (reasoning !== 'anthropic' || claudeTraitsOf(endpoint).structuredOutput)
}

/** Enforces schemas in the subset shared with Anthropic ("Structured outputs", JSON Schema support), but never JSON without a schema. */
export function enforcesFormat(format: TextFormat, endpoint: Named): boolean {
  return format.type === 'json_schema' && isStructured(endpoint) && enforceableSchema(format.schema) !== undefined
}

export function outputConfig({ text }: UpstreamRequestBody): OutputConfig | undefined {
  if (text?.format?.type !== 'json_schema') return undefined
  const { name, description, schema } = text.format
  const json = JSON.stringify(enforceableSchema(schema) ?? schema)
  return {
    textFormat: {
      type: 'json_schema',
      structure: { jsonSchema: { name, ...(description !== undefined && { description }), schema: json } },
    },
  }
}

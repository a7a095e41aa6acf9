import type { TextFormat, UpstreamRequestBody } from '../../core/kit.ts'
import { enforceableSchema } from './schema.ts'
import type { MessagesTraits } from './traits.ts'
import type { OutputConfig } from './wire.ts'

/** Newer models enforce schemas in the vendor's subset. No model enforces JSON without a schema. */
export function enforcesFormat(format: TextFormat, { structuredOutput }: Pick<MessagesTraits, 'structuredOutput'>): boolean {
  return format.type === 'json_schema' && structuredOutput && enforceableSchema(format.schema) !== undefined
}

export function outputFormat({ text }: UpstreamRequestBody): OutputConfig['format'] {
  if (text?.format?.type !== 'json_schema') return undefined
  const { schema } = text.format
  return { type: 'json_schema', schema: enforceableSchema(schema) ?? schema }
}

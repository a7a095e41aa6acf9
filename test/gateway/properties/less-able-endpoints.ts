import type { Capabilities, CatalogEntry } from '../../../core/index.ts'

/** Models that differ in what they can do. */
export function endpoints(): readonly CatalogEntry[] {
  const each = <T>(...values: readonly T[]): readonly T[] => values
  return each(true, false).flatMap(customTools =>
    each(true, false).flatMap(namespaceTools =>
      each(true, false).flatMap(allowedTools =>
        each('json_schema', 'json_object', 'none').map((structuredOutput, index): CatalogEntry => {
          const other = index === 1
          const capabilities: Capabilities = {
            customTools,
            namespaceTools,
            allowedTools,
            structuredOutput: structuredOutput as 'none',
            logprobs: other,
            temperature: other,
            verbosity: other,
            efforts: other ? ['high'] : [],
          }
          return {
            model: `m-${Number(customTools)}${Number(namespaceTools)}${Number(allowedTools)}-${structuredOutput}`,
            endpoints: [{ provider: 'demo', capabilities }],
          }
        }),
      ),
    ),
  )
}

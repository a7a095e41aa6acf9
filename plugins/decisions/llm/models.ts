import type { CatalogSource } from '../../../core/index.ts'

/** What is asked for an answer is charged as the generations that it is, so that nothing remains to be charged here. */
const price = { input: 0, output: 0 } as const

export function decisionModels(provider: string, names: readonly string[]): CatalogSource {
  const entries = names.map(model => ({
    model,
    ownedBy: provider,
    auto: false,
    endpoints: [{ provider, kind: 'decision' as const, upstreamModel: model, price }],
  }))
  return { name: provider, entries: () => entries }
}

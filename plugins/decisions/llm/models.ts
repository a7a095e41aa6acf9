import type { CatalogSource } from '../../../core/index.ts'

/** The model calls are charged at their own prices, so the decision itself is free. */
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

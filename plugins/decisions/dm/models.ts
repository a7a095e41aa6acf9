import type { CatalogSource } from '../../../core/index.ts'
import type { TokenPrices } from '../../../core/kit.ts'

export interface DmModels {
  readonly vendor: string
  readonly models: readonly string[]
  /** From alternative names to versioned ids. */
  readonly aliases: Readonly<Record<string, string>>
}

/** Every versioned id, including those that only aliases name. */
export function versionsOf({ models, aliases }: DmModels): readonly string[] {
  return [...new Set([...models, ...Object.values(aliases)])]
}

export function dmModels(options: DmModels & { readonly price: TokenPrices }): CatalogSource {
  const { vendor, aliases, price } = options
  const entries = versionsOf(options).map(model => ({
    model,
    aliases: Object.keys(aliases).filter(alias => aliases[alias] === model),
    ownedBy: vendor,
    auto: false,
    endpoints: [{ provider: vendor, kind: 'decision', upstreamModel: model, price } as const],
  }))
  return { name: `dm(${vendor})`, entries: () => entries }
}

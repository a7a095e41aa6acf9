import type { CatalogSource, TokenPrices } from '../../../core/index.ts'

export interface DmModels {
  readonly vendor: string
  readonly models: readonly string[]
  /** Names, and the versioned id that each stands for. */
  readonly aliases: Readonly<Record<string, string>>
}

/** Every versioned id that may be asked for. */
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

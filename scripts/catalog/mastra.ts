import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Listing } from './listing.ts'
import { ownProviders } from './makers.ts'
import { answersInText } from './not-text.ts'
import { readJson } from './packages.ts'
import { served, slugOf } from './provider-names.ts'
import type { Tally } from './tally.ts'
import { wireName } from './wire-name.ts'

interface Registry {
  readonly providers: Readonly<Record<string, { readonly models: readonly string[]; readonly deprecatedModels?: readonly string[] }>>
}

type Capability = 'attachment' | 'structuredOutput' | 'temperature'

/** @mastra/core: which provider has which model, with capabilities, without prices and limits. */
export function mastra(folder: string, known: ReadonlySet<string>, tally: Tally): Listing[] {
  const { providers } = readJson(folder, 'dist/provider-registry.json') as Registry
  return Object.entries(providers).flatMap(([name, { models, deprecatedModels = [] }]) => {
    const provider = slugOf(name)
    if (provider === undefined || (!known.has(provider) && !served.has(provider))) return []
    const file = join(folder, `dist/capabilities/${name}.json`)
    const lists = existsSync(file) ? (readJson(file) as Readonly<Record<Capability, readonly string[] | undefined>>) : undefined
    return models.flatMap(id => {
      if (!answersInText(id)) return tally.leaveOut('not text', id)
      const wire = wireName(provider, id)
      if (wire === undefined) return tally.leaveOut('another dialect at this provider', id)
      return [
        {
          provider,
          wire,
          capabilities: {
            // The lists contain models known to work. A missing model may be untested, unless the maker itself offers it.
            temperature: lists?.temperature && provider in ownProviders && !lists.temperature.includes(id) ? false : undefined,
            structuredOutput: lists?.structuredOutput?.includes(id) ? ('json_schema' as const) : undefined,
          },
          ...(deprecatedModels.includes(id) && { deprecated: true as const }),
        },
      ]
    })
  })
}

import type { FoundPage, SearchEngine, SearchQuery } from '../contracts/search-engine.ts'
import { systemClock } from '../foundation/clock.ts'
import { createLogger } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import { SearchEngines } from '../framework/extension-points.ts'
import type { PluginUse } from '../framework/plugin.ts'
import { PluginStage } from './plugin-stage.ts'

const log = createLogger('silent', new Masks())

/** One engine, without a gateway around it. */
export class Searching {
  readonly engine: SearchEngine
  readonly #stage: PluginStage

  constructor(engine: SearchEngine, stage: PluginStage) {
    this.engine = engine
    this.#stage = stage
  }

  async search(query: Partial<SearchQuery>, signal: AbortSignal = new AbortController().signal): Promise<readonly FoundPage[]> {
    const asked: SearchQuery = {
      query: 'demo',
      maxResults: 5,
      allowedDomains: [],
      blockedDomains: [],
      userLocation: undefined,
      ...query,
    }
    return (await this.engine.search(asked, { signal, log })).results
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stage.close()
  }
}

/** The search engine that a plugin adds. */
export async function searching(use: PluginUse): Promise<Searching> {
  const stage = await PluginStage.open([use], { clock: systemClock })
  const [entry] = stage.entries(SearchEngines)
  if (entry) return new Searching(entry.contribution, stage)
  await stage.close()
  throw new Error(`The plugin ${use.plugin.name} adds no search engine.`)
}

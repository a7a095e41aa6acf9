import type { HttpClient } from '../contracts/http-client.ts'
import type { FoundPage, SearchEngine, SearchQuery } from '../contracts/search-engine.ts'
import { Clock, systemClock } from '../foundation/clock.ts'
import { createLogger } from '../foundation/logger.ts'
import { Masks } from '../foundation/masks.ts'
import { createContainer } from '../framework/container.ts'
import { extensionPoints, SearchEngines } from '../framework/extension-points.ts'
import type { PluginUse } from '../framework/plugin.ts'
import { PluginHost } from '../framework/plugin-host.ts'
import { UndiciClient } from '../upstream/http-client.ts'

const log = createLogger('silent', new Masks())

/** One engine, without a gateway around it. */
export class Searching {
  readonly engine: SearchEngine
  readonly #http: HttpClient

  constructor(engine: SearchEngine, http: HttpClient) {
    this.engine = engine
    this.#http = http
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
    await this.#http.close()
  }
}

/** The search engine that a plugin adds. */
export async function searching(use: PluginUse): Promise<Searching> {
  const container = createContainer()
  for (const { token, create } of extensionPoints) container.value(token, create())
  container.value(Clock, systemClock)
  const http = new UndiciClient()
  const masks = new Masks()
  await new PluginHost(container, log, http, masks).setUp([use])
  const [engine] = container.get(SearchEngines).values()
  if (!engine) throw new Error(`The plugin ${use.plugin.name} adds no search engine.`)
  return new Searching(engine, http)
}

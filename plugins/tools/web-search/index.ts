import { Clock, definePlugin, PluginError, SearchEngines, Tools, type SearchEngine } from '../../../core/index.ts'
import { webSearchTool } from '../../../core/kit.ts'
import { EngineLine } from './engine-line.ts'
import { readEntry } from './entry.ts'
import { ResultCache } from './result-cache.ts'
import { SearchSession } from './session.ts'

/**
 * The tool `web_search` for any model that can call functions: models with their own web search use it, and for the others the gateway asks
 * its search engines. See docs/web-search.md.
 */
export default definePlugin({
  name: 'web-search',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      engines: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'string', minLength: 1 },
        description: 'Names of the search engines to ask, in this order. Default: all loaded engines, in the order of their plugins.',
      },
      usdPerQuery: {
        type: 'number',
        minimum: 0,
        default: 0.007,
        description: 'The price of a query for the caller, in US dollars. Queries that no engine answers cost nothing.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 8_000,
        description: 'The time limit for one engine, in milliseconds. After it, the next engine is asked.',
      },
      totalTimeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 600_000,
        default: 20_000,
        description: 'The time limit for one query at all engines together, in milliseconds.',
      },
      maxResultCharacters: {
        type: 'integer',
        minimum: 100,
        maximum: 20_000,
        default: 2_000,
        description: 'How much of the text of one result a model reads.',
      },
      maxCached: {
        type: 'integer',
        minimum: 0,
        default: 1_000,
        description:
          'How many queries to remember with their results. 0: none. Nothing is ever remembered for API keys with zero data retention on or logging off.',
      },
      cacheMs: {
        type: 'integer',
        minimum: 0,
        maximum: 86_400_000,
        default: 300_000,
        description: 'How long a query is remembered, in milliseconds.',
      },
    },
  },
  needs: { engines: SearchEngines, clock: Clock },
  setup(gateway, options, { engines, clock }) {
    const { timeoutMs, totalTimeoutMs, usdPerQuery, maxResultCharacters, maxCached, cacheMs } = options
    // Complete once all plugins are set up.
    let ordered: readonly SearchEngine[] = []
    gateway.onStart(() => {
      ordered = options.engines ? options.engines.map(name => engines.get(name) ?? refuse(gateway.name, name, engines)) : engines.values()
    })
    const line = new EngineLine(() => ordered, {
      timeoutMs,
      clock,
      log: gateway.log,
      pluginOf: engine => engines.pluginOf(engine) ?? engine,
    })
    const cache = new ResultCache({ max: maxCached, ttlMs: cacheMs })
    const parts = { line, cache, usdPerQuery, totalTimeoutMs, maxTextLength: maxResultCharacters }
    gateway.add(Tools, {
      type: 'web_search',
      schema: webSearchTool,
      // The engines see the queries, and each declares its agreements.
      seesContent: 'local',
      // The session gives up first, so that the caller sees a search that failed.
      timeoutMs: totalTimeoutMs + 1_000,
      costUsd: usdPerQuery,
      open: (entry, scope) => new SearchSession(readEntry(entry), scope, parts),
    })
  },
})

function refuse(plugin: string, name: string, engines: { names(): string[] }): never {
  const known = engines.names().join(', ') || 'none'
  throw new PluginError(plugin, `names the search engine "${name}" in engines, which is not loaded. Loaded are: ${known}`)
}

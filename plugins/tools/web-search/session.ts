import {
  invalidRequest,
  policyRefusal,
  type Endpoint,
  type FoundPage,
  type GatewayError,
  type SearchQuery,
  type ToolCall,
  type ToolFunction,
  type ToolResult,
  type ToolSession,
} from '../../../core/index.ts'
import { type SearchEvent, type ToolRun, type ToolScope, wording, own } from '../../../core/kit.ts'
import type { EngineLine } from './engine-line.ts'
import type { SearchEntry } from './entry.ts'
import type { ResultCache } from './result-cache.ts'
import { shownResults } from './results.ts'
import { engineVariables } from './variables.ts'

export interface SearchParts {
  readonly line: EngineLine
  readonly cache: ResultCache
  readonly usdPerQuery: number
  /** For all engines together. */
  readonly totalTimeoutMs: number
  /** In characters, of each result. */
  readonly maxTextLength: number
}

export const functionName = 'managed_web_search'
const maxQueryLength = 1_000
const maxNamed = 3

const managedWebSearch: ToolFunction = {
  name: functionName,
  toolName: 'web_search',
  description:
    'Searches the web. Use it for what you do not know or what may have changed. Returns pages with title, address and text. ' +
    'Name the addresses of the pages that your answer is based on.',
  parameters: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What to search for, in a few words.' } },
    required: ['query'],
    additionalProperties: false,
  },
}

/** `web_search` in one request: docs/protocol/tools.md#web-search. */
export class SearchSession implements ToolSession {
  readonly #entry: SearchEntry
  readonly #scope: ToolScope
  readonly #parts: SearchParts

  constructor(entry: SearchEntry, scope: ToolScope, parts: SearchParts) {
    this.#entry = entry
    this.#scope = scope
    this.#parts = parts
  }

  runner({ provider, capabilities }: Endpoint): ReturnType<NonNullable<ToolSession['runner']>> {
    const { engine, isChosen, isLive } = this.#entry
    // The catalog or the provider states that a model has its own search. The gateway never guesses it.
    const isNative = capabilities.webSearch === true && (isLive || capabilities.builtInTools === true)
    if (engine === 'native') return isNative ? 'endpoint' : 'nobody'
    if (engine === 'auto' && isNative) return 'endpoint'
    if (!isLive && !isChosen) return 'left-out'
    return this.#parts.line.permitted(provider, this.#scope).length > 0 ? 'gateway' : 'nobody'
  }

  refusal(endpoints: readonly Endpoint[]): GatewayError {
    const { line } = this.#parts
    if (this.#entry.engine === 'native') return this.#noNative(endpoints)
    if (endpoints.some(({ provider }) => line.for(provider).length > line.permitted(provider, this.#scope).length)) {
      const field = this.#policy.zdr.value ? 'zero data retention' : 'HIPAA mode'
      const missing = this.#policy.zdr.value ? 'zero-data-retention policy' : 'business associate agreement'
      return policyRefusal(
        wording`This API key has ${own(field)} on, and no search engine here has a ${own(missing)} that covers this request. Leave out web_search, choose a model that searches the web itself, or use another API key.`,
      )
    }
    return invalidRequest(
      wording`web_search needs a search engine, since ${namesOf(endpoints)} cannot search the web, and this gateway has none. Set one of ${own(engineVariables.join(', '))} for the gateway, or choose a model that searches the web itself${own(this.#examples())}.`,
      'tools',
    )
  }

  functions(): readonly ToolFunction[] {
    return [managedWebSearch]
  }

  started(call: ToolCall): SearchEvent | undefined {
    const query = queryOf(call)
    return query === '' ? undefined : { type: 'search', key: call.callId, status: 'in_progress', action: { type: 'search', query } }
  }

  async run(call: ToolCall, { signal, endpoint }: ToolRun): Promise<ToolResult> {
    const { callId } = call
    const text = queryOf(call)
    if (text === '') return { output: 'The query is missing: call with {"query": "…"}.', failed: true }
    const { maxResults, allowedDomains, blockedDomains, userLocation } = this.#entry
    const query = { query: text, maxResults, allowedDomains, blockedDomains, userLocation }
    const found = await this.#find(query, endpoint?.provider ?? '', signal)
    if (!found)
      return {
        output: 'The search failed. Try again with other words, or answer with what you know and say so.',
        failed: true,
        shown: [shown(callId, text, undefined)],
      }
    return {
      output: JSON.stringify(found.length > 0 ? { results: found } : { results: [], note: nothing }),
      shown: [shown(callId, text, found)],
      counts: { [functionName]: 1 },
      costUsd: this.#parts.usdPerQuery,
    }
  }

  /** The pages, unless every engine failed. */
  async #find(query: SearchQuery, provider: string, signal: AbortSignal): Promise<readonly FoundPage[] | undefined> {
    const { line, cache, maxTextLength, totalTimeoutMs } = this.#parts
    const { caller } = this.#scope.context
    const engines = line.permitted(provider, this.#scope)
    const cached = cache.get(caller, engines, query)
    if (cached) return cached
    try {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(totalTimeoutMs)])
      const results = shownResults(await line.search(engines, query, inTime), query, maxTextLength)
      cache.set(caller, engines, query, results)
      return results
    } catch {
      signal.throwIfAborted()
      return undefined
    }
  }

  get #policy(): ToolScope['context']['caller']['policy'] {
    return this.#scope.context.caller.policy
  }

  #noNative(endpoints: readonly Endpoint[]): GatewayError {
    return invalidRequest(
      wording`web_search with the engine "native" needs a model that searches the web itself, and ${namesOf(endpoints)} does not${own(this.#examples())}. Leave the engine to "auto", or choose "managed".`,
      'tools',
    )
  }

  /** Names a few models of this gateway that have their own search. */
  #examples(): string {
    const models = this.#scope.catalog.models().flatMap(({ endpoints }) => endpoints.find(each => each.capabilities.webSearch) ?? [])
    return models.length > 0 ? `, such as ${namesOf(models)}` : ''
  }
}

const nothing = 'No page was found. Try other words.'

function queryOf({ arguments: { query } }: ToolCall): string {
  return typeof query === 'string' ? query.trim().slice(0, maxQueryLength).toWellFormed() : ''
}

function namesOf(endpoints: readonly Endpoint[]): string {
  return [...new Set(endpoints.map(({ provider, model }) => `${provider}/${model}`))].slice(0, maxNamed).join(', ')
}

function shown(key: string, query: string, found: readonly FoundPage[] | undefined): SearchEvent {
  const sources = (found ?? []).map(({ url }) => ({ type: 'url' as const, url }))
  return {
    type: 'search',
    key,
    status: found ? 'completed' : 'failed',
    action: { type: 'search', query, sources },
    ...(found && { results: found.map(({ url, title, text }) => ({ url, title, text })) }),
  }
}

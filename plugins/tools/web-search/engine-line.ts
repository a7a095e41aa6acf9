import {
  PluginError,
  ProviderFailure,
  type Clock,
  type FoundPage,
  type Logger,
  type SearchEngine,
  type SearchQuery,
} from '../../../core/index.ts'
import { describeError, maySee, type ToolScope } from '../../../core/kit.ts'
import { checkedResults } from './checked-results.ts'

export interface EngineLineOptions {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly log: Logger
  /** The plugin that added an engine. */
  readonly pluginOf: (engine: string) => string
}

interface Health {
  failures: number
  restsUntil: number
}

/** After this many failures in a row, an engine rests: it is asked only if all others fail, too. */
const maxFailures = 3
const restMs = 30_000

/** Asks engines in order until one answers. */
export class EngineLine {
  readonly #engines: () => readonly SearchEngine[]
  readonly #options: EngineLineOptions
  readonly #health = new Map<string, Health>()

  constructor(engines: () => readonly SearchEngine[], options: EngineLineOptions) {
    this.#engines = engines
    this.#options = options
  }

  get isEmpty(): boolean {
    return this.#engines().length === 0
  }

  /** The engines for models of this provider. */
  for(provider: string): readonly SearchEngine[] {
    return this.#engines().filter(({ forProviders }) => !forProviders || forProviders.includes(provider))
  }

  /** The engines that may see the queries of this request under the policy of its caller. */
  permitted(provider: string, { request, context }: ToolScope): readonly SearchEngine[] {
    return this.for(provider).filter(({ seesContent }) => maySee(seesContent, context.caller.policy, request))
  }

  /** Throws the last engine's failure if none answers. */
  async search(engines: readonly SearchEngine[], query: SearchQuery, signal: AbortSignal): Promise<readonly FoundPage[]> {
    let last: unknown
    for (const engine of this.#inOrder(engines)) {
      try {
        const results = checkedResults(await this.#ask(engine, query, signal), engine.name, this.#options.pluginOf(engine.name))
        this.#health.delete(engine.name)
        return results
      } catch (error) {
        if (signal.aborted) throw signal.reason
        last = error
        this.#failed(engine, error)
      }
    }
    throw last
  }

  #inOrder(engines: readonly SearchEngine[]): readonly SearchEngine[] {
    const now = this.#options.clock.elapsed()
    const rests = ({ name }: SearchEngine): boolean => (this.#health.get(name)?.restsUntil ?? 0) > now
    return engines.some(rests) ? engines.toSorted((a, b) => Number(rests(a)) - Number(rests(b))) : engines
  }

  /** Gives up after the time limit, even if the engine does not. */
  async #ask(engine: SearchEngine, query: SearchQuery, whole: AbortSignal): ReturnType<SearchEngine['search']> {
    const { timeoutMs, log } = this.#options
    const own = new AbortController()
    const timer = setTimeout(() => own.abort(late(timeoutMs)), timeoutMs)
    const signal = AbortSignal.any([whole, own.signal])
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      return await Promise.race([engine.search(query, { signal, log }), aborted.promise])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      own.abort()
    }
  }

  /** Messages of vendors may quote the query, so they are not logged. */
  #failed({ name }: SearchEngine, error: unknown): void {
    const { clock, log, pluginOf } = this.#options
    const health = this.#health.get(name) ?? { failures: 0, restsUntil: 0 }
    health.failures += 1
    const needsHelp = ProviderFailure.is(error) && (error.kind === 'auth' || error.kind === 'quota')
    if (needsHelp || health.failures >= maxFailures) health.restsUntil = clock.elapsed() + restMs
    this.#health.set(name, health)
    const status = ProviderFailure.is(error) ? { status: error.status ?? null } : {}
    // The message is about the plugin, and quotes nothing.
    const reason = error instanceof PluginError ? { reason: error.message } : {}
    log.child(pluginOf(name)).warn('a search engine failed', { engine: name, ...status, ...describeError(error), ...reason })
  }
}

function late(timeoutMs: number): ProviderFailure {
  return new ProviderFailure({ kind: 'timeout', message: `The engine took longer than ${timeoutMs} ms.` })
}

import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'
import { recentValues } from '../runtime/recent-values.ts'

const maxRemembered = 10_000
/** Callers choose their keys. Longer ones are not remembered. */
const longestKey = 512

interface Warm {
  readonly provider: string
  readonly model: string
  readonly until: number
}

type Caching = Pick<GenerationRequest, 'prompt_cache_key' | 'user'>

/**
 * Remembers which endpoint answered requests with the same cache key, and responses that others continue: its prompt cache is warm. In
 * memory only, and only where there was a choice of endpoints.
 */
export class Affinity {
  readonly #clock: Clock
  readonly #warmMs: number
  readonly #byKey = recentValues<string, Warm>(maxRemembered)
  readonly #byResponse = recentValues<string, Warm>(maxRemembered)

  static {
    wire(this, [Settings, Clock])
  }

  constructor({ affinityMs }: Settings, clock: Clock) {
    this.#clock = clock
    this.#warmMs = affinityMs
  }

  /** Where the prompt cache of this request is warm. `model`: the canonical name, or `auto`. `continues`: the id of a stored answer. */
  warm(request: Caching, { owner }: Caller, model: string, continues?: string): Pick<Endpoint, 'provider' | 'model'> | undefined {
    const key = keyOf(request, owner, model)
    const known = key === undefined ? undefined : this.#byKey.get(key)
    const warm = known ?? (continues === undefined ? undefined : this.#byResponse.get(`${owner}\n${continues}`))
    return warm && this.#clock.elapsed() < warm.until ? warm : undefined
  }

  /** Call when an endpoint has answered. `responseId`: of the stored response, if there is one. */
  remember(request: GenerationRequest, { owner }: Caller, { provider, model }: Endpoint, responseId: string | undefined): void {
    if (this.#warmMs === 0) return
    const warm = { provider, model, until: this.#clock.elapsed() + this.#warmMs }
    const key = keyOf(request, owner, model)
    if (key !== undefined) {
      this.#byKey.set(key, warm)
      if (request.model === 'auto') this.#byKey.set(keyOf(request, owner, 'auto')!, warm)
    }
    if (responseId !== undefined) this.#byResponse.set(`${owner}\n${responseId}`, warm)
  }
}

/** The caller's cache key, if there is one. */
function keyOf({ prompt_cache_key: cacheKey, user }: Caching, owner: string, model: string): string | undefined {
  const given = cacheKey ?? user
  return given === undefined || given.length > longestKey ? undefined : `${owner}\n${model}\n${given}`
}

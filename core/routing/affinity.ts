import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { Caller } from '../contracts/run-context.ts'
import { SharedMaps, type SharedMap } from '../contracts/shared-state.ts'
import { isObject } from '../foundation/json.ts'
import { wire } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'

const maxRemembered = 10_000
/** Callers choose their keys. Longer ones are not remembered. */
const maxKeyLength = 512

type Warm = Pick<Endpoint, 'provider' | 'model'>

type Caching = Pick<GenerationRequest, 'prompt_cache_key' | 'user'>

/**
 * Remembers which endpoint answered requests with the same cache key, and responses that others continue: its prompt cache is warm. Only
 * where there was a choice of endpoints.
 */
export class Affinity {
  readonly #warmMs: number
  readonly #byKey: SharedMap<Warm>
  readonly #byResponse: SharedMap<Warm>

  static {
    wire(this, [Settings, SharedMaps])
  }

  constructor({ affinityMs }: Settings, shared: SharedMaps) {
    this.#warmMs = affinityMs
    // Callers choose the keys.
    this.#byKey = shared.map('affinity/keys', { max: maxRemembered, keys: 'private', accepts: isWarm })
    this.#byResponse = shared.map('affinity/responses', { max: maxRemembered, keys: 'ids', accepts: isWarm })
  }

  /**
   * The endpoint whose prompt cache is warm for this request. `model`: the canonical name, or `auto`. `continues`: the id of a stored
   * answer.
   */
  warm(request: Caching, { owner }: Caller, model: string, continues?: string): Warm | undefined {
    const key = keyOf(request, owner, model)
    const known = key === undefined ? undefined : this.#byKey.get(key)
    return known ?? (continues === undefined ? undefined : this.#byResponse.get(`${owner}\n${continues}`))
  }

  /** Call when an endpoint has answered. `responseId`: of the stored response, if there is one. */
  remember(request: GenerationRequest, { owner }: Caller, { provider, model }: Endpoint, responseId: string | undefined): void {
    if (this.#warmMs === 0) return
    const warm = { provider, model }
    const key = keyOf(request, owner, model)
    if (key !== undefined) {
      this.#byKey.set(key, warm, this.#warmMs)
      if (request.model === 'auto') this.#byKey.set(keyOf(request, owner, 'auto')!, warm, this.#warmMs)
    }
    if (responseId !== undefined) this.#byResponse.set(`${owner}\n${responseId}`, warm, this.#warmMs)
  }
}

function isWarm(value: unknown): value is Warm {
  return isObject(value) && typeof value['provider'] === 'string' && typeof value['model'] === 'string'
}

/** The caller's cache key, if there is one. */
function keyOf({ prompt_cache_key: cacheKey, user }: Caching, owner: string, model: string): string | undefined {
  const given = cacheKey ?? user
  return given === undefined || given.length > maxKeyLength ? undefined : `${owner}\n${model}\n${given}`
}

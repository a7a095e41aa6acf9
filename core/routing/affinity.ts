import type { Endpoint } from '../contracts/catalog.ts'
import type { Caller } from '../contracts/run-context.ts'
import { SharedMaps, type SharedMap } from '../contracts/shared-state.ts'
import { isObject } from '../foundation/json.ts'
import { wire } from '../framework/container.ts'
import { Settings } from '../framework/settings.ts'

const maxRemembered = 10_000
/** Callers choose their names. Longer ones are not remembered. */
const maxUserLength = 512

type Warm = Pick<Endpoint, 'provider' | 'model'>

/** The requests that belong together: those of a session or, without one, of a user. */
export interface Followed {
  readonly session: string | null
  readonly user?: string | undefined
}

/**
 * Remembers which endpoint answered the requests of a session, and responses that others continue: its prompt cache is warm. Only where
 * there was a choice of endpoints.
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
    this.#byKey = shared.map('affinity/keys', { max: maxRemembered, keys: 'private', accepts: isWarm, isSame })
    this.#byResponse = shared.map('affinity/responses', { max: maxRemembered, keys: 'ids', accepts: isWarm, isSame })
  }

  /**
   * The endpoint whose prompt cache is warm for this request. `model`: the canonical name, or `auto`. `continues`: the id of a stored
   * answer.
   */
  warm(followed: Followed, { owner }: Caller, model: string, continues?: string): Warm | undefined {
    const key = keyOf(followed, owner, model)
    const known = key === undefined ? undefined : this.#byKey.get(key)
    return known ?? (continues === undefined ? undefined : this.#byResponse.get(`${owner}\n${continues}`))
  }

  /** Call when an endpoint has answered. `responseId`: of the stored response, if there is one. */
  remember(followed: Followed, { owner }: Caller, answered: Endpoint, isAuto: boolean, responseId: string | undefined): void {
    if (this.#warmMs === 0) return
    const { provider, model } = answered
    const warm = { provider, model }
    const key = keyOf(followed, owner, model)
    if (key !== undefined) {
      this.#byKey.set(key, warm, this.#warmMs)
      if (isAuto) this.#byKey.set(keyOf(followed, owner, 'auto')!, warm, this.#warmMs)
    }
    if (responseId !== undefined) this.#byResponse.set(`${owner}\n${responseId}`, warm, this.#warmMs)
  }
}

function isWarm(value: unknown): value is Warm {
  return isObject(value) && typeof value['provider'] === 'string' && typeof value['model'] === 'string'
}

function isSame(known: Warm, next: Warm): boolean {
  return known.provider === next.provider && known.model === next.model
}

/** Undefined if the request follows no other. */
function keyOf({ session, user }: Followed, owner: string, model: string): string | undefined {
  if (session !== null) return `${owner}\n${model}\n${session}`
  return user === undefined || user.length > maxUserLength ? undefined : `${owner}\n${model}\nuser\n${user}`
}

import type { ApiKey } from '../contracts/key-store.ts'
import type { Admission, EarlyHold } from '../contracts/rate-limiter.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { recentValues } from '../runtime/recent-values.ts'
import type { BegunCall } from './request-limits.ts'
import { likelyTokens } from './likely-tokens.ts'
import { windowsOf } from './windows.ts'

/** The fewest output tokens assumed for a request without a limit. Only for windows of tokens. */
export const leastAssumedOutput = 1_000
const maxKeys = 10_000

/** Output tokens of an endpoint: usually, and at most. */
export interface AssumedOutput {
  readonly usual: number
  readonly most: number
}

const unknownOutput: AssumedOutput = { usual: leastAssumedOutput, most: Infinity }

type Context = Pick<RunContext, 'windows'>

/**
 * Tokens that are held when a request begins, before it is planned, so that it waits for its limits once. The guess is as much as its own
 * request tells; `Reservations` makes the hold as large as it has to be.
 */
export class EarlyTokens {
  readonly #holds = new WeakMap<Context, EarlyHold>()
  /** By key. */
  readonly #outputs = recentValues<string, AssumedOutput>(maxKeys)

  /** Undefined if the key has no windows of tokens, or nothing is known of the call. */
  of({ id, limits = [] }: ApiKey, call: BegunCall): Admission['tokens'] {
    const windows = windowsOf(
      id,
      limits.filter(({ tokens }) => tokens !== undefined),
    )
    const need = windows.length > 0 ? call.need?.() : undefined
    if (!need) return undefined
    const { usual, most } = this.#outputs.get(id) ?? unknownOutput
    const output = Math.min(need.outputTokens ?? usual, most)
    return { windows: windows.map(({ window }) => window), likely: likelyTokens(need, output) }
  }

  keep(context: Context, hold: EarlyHold): void {
    this.#holds.set(context, hold)
  }

  /** Undefined if there is none, or if it was taken. */
  take(context: Context): EarlyHold | undefined {
    const hold = this.#holds.get(context)
    this.#holds.delete(context)
    return hold
  }

  /** Call with the output of the endpoint that is likely to answer. */
  learn(keyId: string, output: AssumedOutput): void {
    const { usual, most } = this.#outputs.get(keyId) ?? unknownOutput
    if (usual !== output.usual || most !== output.most) this.#outputs.set(keyId, output)
  }
}

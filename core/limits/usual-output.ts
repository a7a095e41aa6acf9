import type { Endpoint } from '../contracts/catalog.ts'
import type { TokenUsage } from '../contracts/events.ts'
import { recentValues } from '../runtime/recent-values.ts'

/** Without any earlier answer. */
const assumedTokens = 1_000
const fewestTokens = 256
/** How much longer than usual an answer may be before its hold has to grow. */
const headroom = 1.5
/** The weight of the latest answer in the mean. */
const latestWeight = 1 / 8
/** Names of calls and what surrounds them. */
const framingTokens = 64

/** Remembers how long answers are, and whether endpoints show all the output that they bill. Only for requests under a spend cap. */
export class UsualOutput {
  readonly #means = recentValues<string, number>(10_000)
  /** False: an answer had output that was not shown. */
  readonly #shown = recentValues<string, boolean>(10_000)

  /** The output tokens to hold for an answer. */
  expected(owner: string, endpoint: Endpoint): number {
    const mean = this.#means.get(`${owner} ${nameOf(endpoint)}`)
    return mean === undefined ? assumedTokens : Math.max(fewestTokens, Math.ceil(mean * headroom))
  }

  /** True if the endpoint shows what it bills. Undefined until it has answered. */
  shows(endpoint: Endpoint): boolean | undefined {
    return this.#shown.get(nameOf(endpoint))
  }

  /** Call with what the provider reported for a whole reply, and the bytes that it showed. A token is at least one byte. */
  note(owner: string, endpoint: Endpoint, { output, reasoning }: TokenUsage, shownBytes: number): void {
    const key = `${owner} ${nameOf(endpoint)}`
    const mean = this.#means.get(key) ?? output
    this.#means.set(key, mean + (output - mean) * latestWeight)
    const name = nameOf(endpoint)
    if (output > shownBytes + framingTokens || reasoning > 0) this.#shown.set(name, false)
    // A shorter answer says nothing, nor does one with fewer bytes: what surrounds an answer could hide as much.
    else if (output > framingTokens && output <= shownBytes && this.#shown.get(name) === undefined) this.#shown.set(name, true)
  }
}

function nameOf({ provider, model }: Endpoint): string {
  return `${provider}/${model}`
}

import { invalidRequest, isObject, type GatewayError, type JsonObject } from '../../../core/index.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Until the end of a day (UTC), `/v1/decisions` also takes the format of `/v1/systemone`. */
export class Alias {
  readonly #lastDay: string
  readonly #end: number
  /** Of requests in that format: they have its error body. */
  readonly #errors = new WeakSet<GatewayError>()

  constructor(lastDay: string) {
    this.#lastDay = lastDay
    this.#end = Date.parse(`${lastDay}T00:00:00Z`) + dayMs
    if (Number.isNaN(this.#end)) throw new Error(`aliasUntil must be a date such as 2026-10-26, got ${lastDay}.`)
  }

  /** True if the body has the format of `/v1/systemone` and may have it. Throws a 400 if it may not. */
  takes(body: unknown, now: number): body is JsonObject {
    if (!isObject(body) || !isOldFormat(body)) return false
    if (now < this.#end) return true
    throw invalidRequest(
      `Expected \`questions\` to be an array and \`input\` in place of \`state\`, but got the format that this path served until ${this.#lastDay}. Send this request to POST /v1/systemone.`,
      'questions',
    )
  }

  note(error: GatewayError): void {
    this.#errors.add(error)
  }

  isOf(error: GatewayError): boolean {
    return this.#errors.has(error)
  }
}

function isOldFormat({ questions, state, input }: JsonObject): boolean {
  return isObject(questions) || (state !== undefined && input === undefined && !Array.isArray(questions))
}

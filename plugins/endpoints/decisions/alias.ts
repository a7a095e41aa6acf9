import { invalidRequest, isObject, type GatewayError, type JsonObject } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'

const dayMs = 24 * 60 * 60 * 1000
/** The public format took over the path on 27 October 2026. */
const deprecatedAt = Date.UTC(2026, 9, 27)

/** Until the end of a day (UTC), `/v1/decisions` also takes the format of `/v1/systemone`. */
export class Alias {
  readonly #lastDay: string
  readonly #end: number
  /** Of every answer to a request in that format: RFC 9745 and RFC 8594. */
  readonly headers: Readonly<Record<string, string>>
  /** Of requests in that format: they have its error body. */
  readonly #errors = new WeakSet<GatewayError>()

  constructor(lastDay: string) {
    this.#lastDay = lastDay
    this.#end = Date.parse(`${lastDay}T00:00:00Z`) + dayMs
    if (Number.isNaN(this.#end)) throw new Error(`aliasUntil must be a date such as 2026-10-26, got ${lastDay}.`)
    this.headers = {
      deprecation: `@${Math.min(deprecatedAt, this.#end) / 1000}`,
      sunset: new Date(this.#end).toUTCString(),
    }
  }

  /** True if the body has the format of `/v1/systemone` and may have it. Throws a 400 if it may not. */
  takes(body: unknown, now: number): body is JsonObject {
    if (!isObject(body) || !isOldFormat(body)) return false
    if (now < this.#end) return true
    throw invalidRequest(
      wording`Expected \`questions\` to be an array and \`input\` in place of \`state\`, but got the format that this path served until ${own(this.#lastDay)}. Send this request to POST /v1/systemone.`,
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

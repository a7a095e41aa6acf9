import { GatewayError } from '../../../core/index.ts'

const dayMs = 24 * 60 * 60 * 1000

/** The path that is served up to the end of a day, and then refused. */
export function movedAway(lastDay: string): { check(now: number): void } {
  const end = Date.parse(`${lastDay}T00:00:00Z`) + dayMs
  if (Number.isNaN(end)) throw new Error(`aliasUntil must be a day such as 2026-10-26, and ${lastDay} is none.`)
  return {
    check(now) {
      if (now < end) return
      throw new GatewayError({
        status: 404,
        type: 'invalid_request_error',
        code: 'not_found',
        message: `/v1/decisions was served until ${lastDay}. Send this request to /v1/systemone.`,
      })
    },
  }
}

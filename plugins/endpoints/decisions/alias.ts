import { GatewayError } from '../../../core/index.ts'

const dayMs = 24 * 60 * 60 * 1000

/** A route that is served until the end of a day (UTC), and is a 404 afterwards. */
export function movedAway(lastDay: string): { isGone(now: number): boolean; check(now: number): void } {
  const end = Date.parse(`${lastDay}T00:00:00Z`) + dayMs
  if (Number.isNaN(end)) throw new Error(`aliasUntil must be a date such as 2026-10-26, got ${lastDay}.`)
  const isGone = (now: number): boolean => now >= end
  return {
    isGone,
    check(now) {
      if (!isGone(now)) return
      throw new GatewayError({
        status: 404,
        type: 'invalid_request_error',
        code: 'not_found',
        message: `/v1/decisions was served until ${lastDay}. Send this request to /v1/systemone.`,
      })
    },
  }
}

import type { SpendPeriod } from '../contracts/key-store.ts'

const dayMs = 24 * 60 * 60 * 1000
/** 1970-01-05 was a Monday. */
const firstMondayMs = 4 * dayMs

/** When the period that contains `now` began, in UTC: midnight, Monday, or the first of the month. 0 without a period. */
export function periodStart(period: SpendPeriod | undefined, now: number): number {
  switch (period) {
    case undefined:
      return 0
    case 'day':
      return now - (now % dayMs)
    case 'week':
      return now - ((((now - firstMondayMs) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs))
    case 'month': {
      const date = new Date(now)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
    }
  }
}

/** When the period that contains `now` ends. Infinity without a period. */
export function periodEnd(period: SpendPeriod | undefined, now: number): number {
  const start = periodStart(period, now)
  switch (period) {
    case undefined:
      return Infinity
    case 'day':
      return start + dayMs
    case 'week':
      return start + 7 * dayMs
    case 'month': {
      const date = new Date(start)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
    }
  }
}

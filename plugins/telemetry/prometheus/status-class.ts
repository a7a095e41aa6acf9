/** Statuses that none of these has are not delivered. */
export const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const

/** The index of its class. */
export function statusClassOf(status: number): number {
  return Math.min(Math.max(Math.trunc(status / 100), 2), 5) - 2
}

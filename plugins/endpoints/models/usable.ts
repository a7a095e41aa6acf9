import type { Endpoint } from '../../../core/index.ts'

export type IsUsable = (endpoint: Endpoint) => boolean

/** The endpoints that the caller could use. */
export function usableOf(endpoints: readonly Endpoint[], isUsable: IsUsable): readonly Endpoint[] {
  return endpoints.every(isUsable) ? endpoints : endpoints.filter(isUsable)
}

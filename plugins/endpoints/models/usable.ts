import { isPermitted, type ApiKey, type Endpoint } from '../../../core/index.ts'

/** The endpoints that a request with this key could use. */
export function usableBy(key: ApiKey, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.every(endpoint => isPermitted(endpoint, key)) ? endpoints : endpoints.filter(endpoint => isPermitted(endpoint, key))
}

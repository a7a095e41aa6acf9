import { isPermitted, type ApiKey, type Endpoint } from '../../../core/index.ts'

/** Of these endpoints, those that a request with this key could reach. */
export function usableBy(key: ApiKey, endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.every(endpoint => isPermitted(endpoint, key)) ? endpoints : endpoints.filter(endpoint => isPermitted(endpoint, key))
}

import { ProviderFailure } from '../contracts/provider.ts'

/** Parses the JSON of one frame. Throws `ProviderFailure` if it is not JSON. */
export function frameJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent an event that is not JSON.', upstream: data, cause })
  }
}

import { ProviderFailure } from '../contracts/provider.ts'

/** The JSON of one frame. Throws `ProviderFailure` for what is none. */
export function frameJson(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (cause) {
    throw new ProviderFailure({ kind: 'protocol', message: 'The provider sent an event that is not JSON.', upstream: data, cause })
  }
}

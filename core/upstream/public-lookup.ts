import type { lookup as systemLookup, LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './media/public-address.ts'

/** The `code` of the error for a name that leads to a private address. */
export const privateAddress = 'TURNPIKE_PRIVATE_ADDRESS'

/** Rejects unless every address of the name is public. */
export function requirePublic(hostname: string, lookup: typeof systemLookup): Promise<void> {
  return new Promise((resolve, reject) => publicOnly(lookup)(hostname, { all: true }, error => (error ? reject(error) : resolve())))
}

/** A DNS lookup that fails unless every address is public. The connection uses the checked address. */
export function publicOnly(lookup: typeof systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0)
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(Object.assign(new Error('the name leads to a private address'), { code: privateAddress }), '', 0)
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}

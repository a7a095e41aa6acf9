import { invalidRequest } from '../../../core/index.ts'
import { isPublicHost } from '../../../core/kit.ts'

const maxLength = 2_000

/** The address of an organization's target. Throws a 400 that does not quote it. */
export function checkedAddress(text: string, allowPrivate: boolean): string {
  const problem = addressProblem(text, allowPrivate)
  if (problem === undefined) return new URL(text).href
  throw invalidRequest(`Invalid value for 'url': ${problem}.`, 'url')
}

/** What is wrong with an address, as the end of a sentence. Undefined if nothing is. */
export function addressProblem(text: string, allowPrivate: boolean): string | undefined {
  if (text.length > maxLength) return `expected at most ${maxLength} characters, but got ${text.length}`
  const url = URL.parse(text)
  const schemes = allowPrivate ? 'https:// or http://' : 'https://'
  if (!url || !['https:', ...(allowPrivate ? ['http:'] : [])].includes(url.protocol)) return `expected a URL that starts with ${schemes}`
  if (url.username || url.password) return 'expected a URL without a user name and a password. Sign messages with a secret instead'
  if (!allowPrivate && !isPublicHost(url.hostname))
    return 'expected a host on the public internet. The operator can allow others with the option allowPrivateAddresses of alert-webhook'
  return undefined
}

/** The parts of an address that may be shown. Characters of a short one are not: they would be most of it. */
export function shownAddress(url: string): { readonly host: string; readonly urlEnd: string | null } {
  const { host, pathname, search } = new URL(url)
  return { host, urlEnd: pathname.length + search.length >= shortest ? url.slice(-4) : null }
}

const shortest = 16

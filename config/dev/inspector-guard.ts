import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Why the inspector does not answer a request, or undefined if it does. */
export interface Refusal {
  readonly status: 401 | 403 | 405
  readonly message: string
}

/**
 * Keeps everybody but the developer's own page away from the inspector: other machines, sites that have a name of theirs point to this
 * machine (DNS rebinding), and pages of other origins. `hosts`: the only values of the header `host`.
 */
export function siteRefusal({ socket, url = '', rawHeaders, headers }: IncomingMessage, hosts: readonly string[]): Refusal | undefined {
  const { remoteAddress = '' } = socket
  if (!/^(?:127\.|::1$|::ffff:127\.)/.test(remoteAddress)) return refused('The inspector answers this machine only.')
  // An address in the request line would stand for the header.
  if (!url.startsWith('/')) return refused('The request line must have a path.')
  const named = rawHeaders.filter((_, index) => index % 2 === 0 && rawHeaders[index]!.toLowerCase() === 'host').length
  const { host = '', origin } = headers
  if (named !== 1 || !hosts.includes(host.toLowerCase()))
    return refused(`The inspector is known as ${hosts.join(' and ')} only. Open the address that turnpike dev printed.`)
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return refused('The inspector answers its own page only.')
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return refused('The inspector answers its own page only.')
  return undefined
}

/** The secret of the run, which is in the part of the page's address that browsers do not send. */
export function secretRefusal({ headers }: IncomingMessage, secret: string): Refusal | undefined {
  const [, given = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [got, right] = [Buffer.from(given), Buffer.from(secret)]
  if (got.length === right.length && timingSafeEqual(got, right)) return undefined
  return { status: 401, message: 'This needs the secret of this run. Open the address that turnpike dev printed.' }
}

function refused(message: string): Refusal {
  return { status: 403, message }
}

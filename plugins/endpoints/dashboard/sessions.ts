import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Admin, AdminServices, KnownToken } from '../../../core/admin.ts'
import { GatewayError, type Clock } from '../../../core/index.ts'
import type { Sealer } from '../../../core/stores.ts'
import type { Person } from './access.ts'
import type { EndedSessions } from './ended-sessions.ts'

export const sessionMs = 12 * 3_600_000
/** The header that every change carries. Pages of other origins can neither read its value nor send it. */
export const antiForgeryHeader = 'x-anti-forgery'
const context = { org: '', purpose: 'dashboard-session' }

/** Who is signed in: the holder of an admin token, or somebody whom an identity provider vouches for. */
export type Identity = { readonly token: KnownToken } | { readonly person: Person }

/** The rights of people without a token, by the current config. */
export interface People {
  adminOf(person: Person): Admin | undefined
}

export interface Session {
  readonly identity: Identity
  /** The name to show. */
  readonly name: string
  readonly antiForgery: string
  /** Milliseconds since the epoch. */
  readonly validUntil: number
}

/**
 * Sessions of the dashboard. One is sealed in a cookie, so only its end is stored, and every gateway with the same master key knows it. It has
 * the role and the organization that its token has at the moment.
 */
export class Sessions {
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #people: People | undefined
  readonly #ended: EndedSessions
  #cookieName: string | undefined

  /** Without `people`, only admin tokens have sessions. */
  constructor(sealer: Sealer, clock: Clock, ended: EndedSessions, people: People | undefined) {
    this.#sealer = sealer
    this.#clock = clock
    this.#ended = ended
    this.#people = people
  }

  /** The caller whom the cookie of a request identifies, if it is valid. Throws a 403 for a change that a foreign page may have made. */
  async admit(request: Request, gateway: AdminServices): Promise<Admin | undefined> {
    const session = await this.read(request)
    if (!session) return undefined
    const admin = await this.adminOf(session, gateway)
    if (admin && request.method !== 'GET' && request.method !== 'HEAD') refuseForged(request, session)
    return admin
  }

  /** The session of the cookie, unless it is over. */
  async read(request: Request): Promise<Session | undefined> {
    if (isForeign(request)) return undefined
    const sealed = cookieIn(request, this.cookie)
    if (sealed === undefined) return undefined
    const bytes = this.#sealer.open(context, Buffer.from(sealed, 'base64url'))
    if (!bytes) return undefined
    const session = JSON.parse(Buffer.from(bytes).toString()) as Session
    return this.#clock.now() < session.validUntil && !(await this.#ended.has(session.antiForgery)) ? session : undefined
  }

  async adminOf({ identity }: Session, gateway: AdminServices): Promise<Admin | undefined> {
    return 'token' in identity ? await gateway.recall(identity.token) : this.#people?.adminOf(identity.person)
  }

  start(request: Request, identity: Identity, name: string): { readonly session: Session; readonly setCookie: string } {
    const session = { identity, name, antiForgery: randomBytes(24).toString('base64url'), validUntil: this.#clock.now() + sessionMs }
    const sealed = Buffer.from(this.#sealer.seal(context, Buffer.from(JSON.stringify(session)))).toString('base64url')
    return { session, setCookie: this.#setCookie(request, sealed, sessionMs / 1000) }
  }

  /** Returns the header that removes the cookie. */
  async end(request: Request): Promise<string> {
    const session = await this.read(request)
    if (session) {
      refuseForged(request, session)
      await this.#ended.add(session.antiForgery)
    }
    return this.#setCookie(request, '', 0)
  }

  /** Cookies belong to a host, regardless of the port, so each gateway has its own cookie name. */
  get cookie(): string {
    return (this.#cookieName ??= `turnpike_${this.#sealer.mac('dashboard-cookie', '').toString('hex').slice(0, 8)}`)
  }

  /** Without a `Path`, the cookie is for the path below which the browser finds the dashboard. */
  #setCookie(request: Request, value: string, seconds: number): string {
    return `${this.cookie}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`
  }
}

/** True if the browser came by HTTPS, to the gateway itself or to a proxy before it. */
export function isSecure({ url, headers }: Request): boolean {
  return url.startsWith('https:') || headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https'
}

export function cookieIn({ headers }: Request, name: string): string | undefined {
  const pairs = headers.get('cookie')?.split(';') ?? []
  const found = pairs.map(pair => pair.trim()).find(pair => pair.startsWith(`${name}=`))
  return found?.slice(name.length + 1) || undefined
}

/** True if a page of another origin sent the request. Other ports of this host are the same site, so `SameSite` does not stop them. */
export function isForeign({ headers }: Request): boolean {
  return ['cross-site', 'same-site'].includes(headers.get('sec-fetch-site') ?? '')
}

function refuseForged({ headers }: Request, { antiForgery }: Session): void {
  const given = Buffer.from(headers.get(antiForgeryHeader) ?? '')
  const expected = Buffer.from(antiForgery)
  if (given.length === expected.length && timingSafeEqual(given, expected)) return
  throw new GatewayError({
    status: 403,
    type: 'permission_error',
    code: 'anti_forgery_token_invalid',
    message: `A change by a session needs the header "${antiForgeryHeader}" with the value that GET session returns. Reload the page.`,
  })
}

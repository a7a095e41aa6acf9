import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Admin, KnownToken } from '../contracts/admin-route.ts'
import { AdminTokenStore, type AdminRole, type AdminToken } from '../contracts/admin-token-store.ts'
import { Sealer } from '../contracts/sealer.ts'
import { SharedMaps } from '../contracts/shared-state.ts'
import { Clock } from '../foundation/clock.ts'
import { GatewayError, invalidRequest, PluginError } from '../foundation/errors.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import { wire } from '../framework/container.ts'
import { ServicePlugins } from '../framework/service-plugins.ts'
import { FailedTries } from '../limits/failed-tries.ts'
import { readToken, rightsProblem } from './read-admin.ts'
import { newSecretId, newSecretText, secretTextId } from './secret-text.ts'
import { SignInLinks } from './sign-in-links.ts'

export interface AdminTokenSettings {
  readonly name: string
  readonly role: AdminRole
  /** Absent for all organizations. */
  readonly org?: string | undefined
}

/** Authenticates requests to the admin API, and issues its tokens. */
export class AdminAdmission {
  /** For this process only: commands use it to call the admin API without a listener. */
  readonly localToken = `local_${randomBytes(32).toString('hex')}`
  readonly #tokens: AdminTokenStore
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #log: Logger
  /** The plugin that provides the store. */
  readonly #plugin: string
  /** Hashes of fixed tokens, with their owners. */
  readonly #fixed = new Map<string, Admin>()
  readonly #links: SignInLinks<Identified>
  readonly #tries: FailedTries

  static {
    wire(this, [AdminTokenStore, Sealer, Clock, Logger, ServicePlugins, SharedMaps])
  }

  constructor(tokens: AdminTokenStore, sealer: Sealer, clock: Clock, log: Logger, plugins: ServicePlugins, shared: SharedMaps) {
    this.#tokens = tokens
    this.#sealer = sealer
    this.#clock = clock
    this.#log = log
    this.#plugin = plugins.get(AdminTokenStore) ?? 'unknown'
    this.#links = new SignInLinks(clock)
    this.#tries = new FailedTries(shared, 'admin', clock)
    this.#fixed.set(digest(this.localToken), { id: 'command-line', role: 'owner', org: undefined })
  }

  /** Accepts this text as the token of an owner: `GATEWAY_ADMIN_TOKEN`. */
  accept(text: string): void {
    this.#fixed.set(digest(text), { id: 'environment', role: 'owner', org: undefined })
  }

  /** True if nobody could use the admin API: no token was accepted or created. */
  async isEmpty(): Promise<boolean> {
    return this.#fixed.size === 1 && (await this.#tokens.list()).length === 0
  }

  /** `address`: where the request comes from, unless it is this process. Throws a 401, 429 or 503. */
  async admit(headers: Headers, address: string | undefined): Promise<Admin> {
    const [, text] = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? []
    if (text === undefined)
      throw unauthorized('No admin token was sent. Send the header "Authorization: Bearer ta_…", or the value of GATEWAY_ADMIN_TOKEN.')
    if (secretTextId('tp', text) !== undefined)
      throw unauthorized('This is an API key. The admin API accepts admin tokens (ta_…); the public API has another address.')
    try {
      return (await this.#identify(text)).admin
    } catch (error) {
      if (error instanceof GatewayError && error.status === 401 && address !== undefined) this.#tries.failed(text, address)
      throw error
    }
  }

  /** Throws a 401 or 503. */
  async identify(text: string): Promise<Identified> {
    return this.#links.take(digest(text)) ?? (await this.#identify(text))
  }

  /** The current owner of the token. Undefined if it was deleted or replaced. Throws a 503. */
  async recall({ id, mark }: KnownToken): Promise<Admin | undefined> {
    const fixed = this.#fixed.get(mark)
    if (fixed) return fixed.id === id ? fixed : undefined
    const token = await this.#find(id)
    return token && isEqual(token.hash, mark) ? adminOf(token) : undefined
  }

  /** A code that `identify` takes once in place of this token's text, for a link. */
  async issueLink(text: string): Promise<string> {
    const identified = await this.#identify(text)
    const code = randomBytes(24).toString('base64url')
    this.#links.add(digest(code), identified)
    return code
  }

  /** `text` is shown once and never stored. Throws a 400 for an unknown role, and an organization that is not a non-empty string. */
  async issue({ name, role, org }: AdminTokenSettings): Promise<{ readonly token: AdminToken; readonly text: string }> {
    const problem = rightsProblem(role, org)
    if (problem !== undefined) throw invalidRequest(`No admin token can be created${problem}.`)
    const id = newSecretId()
    const text = newSecretText('ta', id)
    const token = { id, hash: this.#hash(text), name, role, org, createdAt: this.#clock.now() }
    await this.#tokens.add(token)
    return { token, text }
  }

  async #identify(text: string): Promise<Identified> {
    const mark = digest(text)
    const fixed = this.#fixed.get(mark)
    if (fixed) return { admin: fixed, known: { id: fixed.id, mark }, name: fixed.id }
    const id = secretTextId('ta', text)
    const token = id === undefined ? undefined : await this.#find(id)
    if (!token || !isEqual(token.hash, this.#hash(text)))
      throw unauthorized('The admin token is unknown. Create one with "npx turnpike admin-tokens create".')
    return { admin: adminOf(token), known: { id: token.id, mark: token.hash }, name: token.name }
  }

  #hash(text: string): string {
    return this.#sealer.mac('admin-token', text).toString('base64url')
  }

  async #find(id: string): Promise<AdminToken | undefined> {
    try {
      // Plugins may be plain JavaScript, and a database says null.
      const found: unknown = await this.#tokens.find(id)
      const token = found === undefined || found === null ? undefined : readToken(found)
      if (typeof token === 'string') throw new PluginError(this.#plugin, `returned an admin token from find${token}`)
      return token
    } catch (cause) {
      this.#log.error('the store of admin tokens failed', { plugin: this.#plugin, ...describePluginError(cause, true) })
      const message = 'The store of admin tokens is not available. Try again.'
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }
}

interface Identified {
  readonly admin: Admin
  readonly known: KnownToken
  /** Of the token. */
  readonly name: string
}

function adminOf({ id, role, org }: AdminToken): Admin {
  return { id, role, org }
}

/** Compares digests, so that the time reveals nothing about the text. */
function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}

function isEqual(known: string, given: string): boolean {
  return known.length === given.length && timingSafeEqual(Buffer.from(known), Buffer.from(given))
}

function unauthorized(message: string): GatewayError {
  return new GatewayError({ status: 401, type: 'authentication_error', code: 'invalid_admin_token', message })
}

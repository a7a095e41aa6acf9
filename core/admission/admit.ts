import { hash, timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import { KeyStore, type ApiKey } from '../contracts/key-store.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { GatewayError } from '../foundation/errors.ts'
import { apiKeyId, hashApiKey } from './api-key.ts'
import { PolicyResolver } from './policy.ts'

/** Authenticates a request by the API key in its headers. Throws a 401 or 503. */
export class Admission {
  readonly #keys: KeyStore
  readonly #sealer: Sealer
  readonly #policies: PolicyResolver
  readonly #clock: Clock
  /** Caches HMACs, the most expensive part of authentication, by a plain hash of the key. Holds no secrets. */
  readonly #hashes = new LRUCache<string, string>({ max: 10_000 })

  static {
    wire(this, [KeyStore, Sealer, PolicyResolver, Clock])
  }

  constructor(keys: KeyStore, sealer: Sealer, policies: PolicyResolver, clock: Clock) {
    this.#keys = keys
    this.#sealer = sealer
    this.#policies = policies
    this.#clock = clock
  }

  async admit(headers: Headers): Promise<Caller> {
    const key = await this.#authenticate(headers)
    return { key, policy: await this.#policies.resolve(key), owner: ownerOf(key) }
  }

  async #authenticate(headers: Headers): Promise<ApiKey> {
    const text = keyIn(headers)
    const id = text === undefined ? undefined : apiKeyId(text)
    if (text === undefined || id === undefined)
      throw unauthorized(
        'The API key is malformed. Expected "Authorization: Bearer tp_<id>_<secret>" or "x-api-key: tp_<id>_<secret>", as printed when the key was created.',
      )
    const key = await this.#find(id)
    if (!key || !this.#opens(key, this.#hash(text))) throw unauthorized('The API key is unknown. Create one with "turnpike keys create".')
    if (key.disabled) throw unauthorized('The API key is disabled.')
    return key
  }

  #opens({ hash, previous }: ApiKey, given: string): boolean {
    if (sameHash(hash, given)) return true
    return previous !== undefined && this.#clock.now() < previous.validUntil && sameHash(previous.hash, given)
  }

  #hash(text: string): string {
    const plain = hash('sha256', text, 'base64url')
    let known = this.#hashes.get(plain)
    if (known === undefined) {
      known = hashApiKey(this.#sealer, text)
      this.#hashes.set(plain, known)
    }
    return known
  }

  async #find(id: string): Promise<ApiKey | undefined> {
    try {
      return await this.#keys.find(id)
    } catch (cause) {
      throw new GatewayError({
        status: 503,
        type: 'server_error',
        code: 'server_error',
        message: 'The key store is not available. Try again.',
        cause,
      })
    }
  }
}

/** The key's text. Undefined if the header does not contain one. */
function keyIn(headers: Headers): string | undefined {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key')?.trim()
  if (!authorization) {
    if (!apiKey) throw unauthorized('No API key was sent. Send the header "Authorization: Bearer tp_…" or "x-api-key: tp_…".')
    return apiKey
  }
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (apiKey && apiKey !== bearer)
    throw unauthorized('The headers Authorization and x-api-key contain different keys. Send one of them, or the same key in both.')
  return bearer
}

/** Encoded, so that no name can pass for another owner's path. */
function ownerOf({ org, team, user }: ApiKey): string {
  const path = user ? [org, 'user', user] : team ? [org, 'team', team] : [org]
  return path.map(encodeURIComponent).join('/')
}

function sameHash(known: string, given: string): boolean {
  return known.length === given.length && timingSafeEqual(Buffer.from(known), Buffer.from(given))
}

function unauthorized(message: string): GatewayError {
  return new GatewayError({ status: 401, type: 'authentication_error', code: 'invalid_api_key', message })
}

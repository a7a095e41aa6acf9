import { hash, timingSafeEqual } from 'node:crypto'
import { Clock } from '../foundation/clock.ts'
import { wire } from '../framework/container.ts'
import { KeyStore, type ApiKey } from '../contracts/key-store.ts'
import type { Policy } from '../contracts/policy.ts'
import type { Caller } from '../contracts/run-context.ts'
import { Sealer } from '../contracts/sealer.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { ownerPath } from '../foundation/owner-path.ts'
import type { RecordDraft } from '../records/record.ts'
import { Accounts, spendingOf, type KeyAccounts } from './accounts.ts'
import { apiKeyId, hashApiKey } from './api-key.ts'
import { PolicyResolver } from './policy.ts'
import { StoredRows } from './stored-rows.ts'
import { Tickets } from './tickets.ts'
import { recentValues } from '../runtime/recent-values.ts'

/** The part of `Headers` that authentication reads. */
type HeaderReader = Pick<Headers, 'get'>

/** The parsed text of a key. Its HMAC is the most expensive part of authentication. */
interface KnownText {
  readonly id: string
  readonly hash: string
  /** The stored hash that it was compared with and is equal to. */
  opens: string | undefined
}

/** Authenticates a request by the API key in its headers. Throws a 401 or 503. */
export class Admission {
  readonly #keys: KeyStore
  readonly #sealer: Sealer
  readonly #policies: PolicyResolver
  readonly #accounts: Accounts
  readonly #rows: StoredRows
  readonly #tickets: Tickets
  readonly #callers = new WeakMap<ApiKey, { readonly caller: Caller; readonly accounts: KeyAccounts }>()
  readonly #clock: Clock
  /** Parsed keys by a plain hash of their text. Holds no secrets. */
  readonly #texts = recentValues<string, KnownText>(10_000)

  static {
    wire(this, [KeyStore, Sealer, PolicyResolver, Accounts, StoredRows, Tickets, Clock])
  }

  constructor(
    keys: KeyStore,
    sealer: Sealer,
    policies: PolicyResolver,
    accounts: Accounts,
    rows: StoredRows,
    tickets: Tickets,
    clock: Clock,
  ) {
    this.#keys = keys
    this.#sealer = sealer
    this.#policies = policies
    this.#accounts = accounts
    this.#rows = rows
    this.#tickets = tickets
    this.#clock = clock
  }

  /**
   * Synchronous while keys, accounts and policies are in memory. `record` gets the key even if its policy is not available, or if it is refused
   * because it is disabled, say: whoever has its secret used it. `inQuery`: keys that came as a query parameter.
   */
  admit(headers: HeaderReader, record: Pick<RecordDraft, 'key'>, inQuery: readonly string[] = []): Maybe<Caller> {
    const text = keyIn(headers, inQuery)
    const acting = text === undefined ? undefined : this.#tickets.redeem(text)
    if (acting) return this.#callerOf(this.#checked(acting), record)
    const known = text === undefined ? undefined : this.#known(text)
    if (!known && text?.startsWith('ta_'))
      throw unauthorized(wording`This is an admin token. The public API accepts API keys (tp_…); the admin API has another address.`)
    if (!known)
      throw unauthorized(
        wording`The API key is malformed. Expected "Authorization: Bearer tp_<id>_<secret>" or "x-api-key: tp_<id>_<secret>", as printed when the key was created.`,
      )
    const found = this.#find(known.id)
    return isPending(found) ? found.then(key => this.#authenticated(key, known, record)) : this.#authenticated(found, known, record)
  }

  /** Throws the 401 that the key of an earlier request would get now. The store may be down: then nothing is known. */
  readmit({ key: { id } }: Caller): Maybe<void> {
    const found = this.#find(id)
    return isPending(found) ? found.then(key => this.#readmitted(key)) : this.#readmitted(found)
  }

  #readmitted(key: ApiKey | undefined): void {
    if (!key) throw unauthorized(wording`The API key was deleted.`)
    this.#checkUsable(key)
  }

  /** Most keys were checked before: stores return the same object until a key changes. */
  #checked(key: ApiKey): ApiKey {
    return this.#callers.has(key) ? key : this.#rows.key(key)
  }

  #callerOf(key: ApiKey, record: Pick<RecordDraft, 'key'>): Maybe<Caller> {
    record.key = key
    this.#checkUsable(key)
    const accounts = this.#above(key)
    // If a policy source throws at once, nobody waits for the accounts.
    if (isPending(accounts)) accounts.catch(() => {})
    const policy = this.#policies.resolve(key)
    if (isPending(accounts) || isPending(policy)) return Promise.all([accounts, policy]).then(found => this.#caller(key, ...found))
    return this.#caller(key, accounts, policy)
  }

  #checkUsable({ disabled, hidden, expiresAt }: ApiKey): void {
    if (hidden) throw unauthorized(wording`The API key was deleted.`)
    if (disabled) throw unauthorized(wording`The API key is disabled.`)
    if (expiresAt !== undefined && this.#clock.now() >= expiresAt)
      throw unauthorized(wording`The API key expired at ${own(new Date(expiresAt).toISOString())}.`)
  }

  #authenticated(key: ApiKey | undefined, known: KnownText, record: Pick<RecordDraft, 'key'>): Maybe<Caller> {
    if (key && this.#opens(this.#checked(key), known)) return this.#callerOf(key, record)
    const replaced = key?.previous?.find(earlier => sameHash(earlier.hash, known.hash))
    if (!replaced) throw unauthorized(wording`The API key is unknown. Create one with "turnpike keys create".`)
    record.key = key
    const endedAt = new Date(replaced.validUntil).toISOString()
    throw unauthorized(wording`The API key has a new secret. This one worked until ${own(endedAt)}.`)
  }

  /** The same object until the key, its accounts or its policy change. */
  #caller(key: ApiKey, accounts: KeyAccounts, policy: Policy): Caller {
    const known = this.#callers.get(key)
    if (known && known.caller.policy === policy && isSame(known.accounts, accounts)) return known.caller
    for (const account of [accounts.org, accounts.team, accounts.user]) if (account) this.#rows.account(account)
    this.#policies.checkSupplied(accounts)
    const caller = freezeDeeply({ key, policy, owner: ownerPath(key), spending: spendingOf(key, accounts) })
    this.#callers.set(key, { caller, accounts })
    return caller
  }

  #above(key: ApiKey): Maybe<KeyAccounts> {
    try {
      const accounts = this.#accounts.above(key)
      return isPending(accounts) ? Promise.resolve(accounts).catch(unavailable('account store')) : accounts
    } catch (cause) {
      return unavailable('account store')(cause)
    }
  }

  #opens(key: ApiKey, known: KnownText): boolean {
    const { hash, previous } = key
    if (known.opens === hash) return true
    if (!sameHash(hash, known.hash))
      return previous?.some(earlier => this.#clock.now() < earlier.validUntil && sameHash(earlier.hash, known.hash)) ?? false
    known.opens = hash
    return true
  }

  /** The parsed key, if the text is a key. */
  #known(text: string): KnownText | undefined {
    const plain = hash('sha256', text, 'base64url')
    const known = this.#texts.get(plain)
    if (known) return known
    const id = apiKeyId(text)
    if (id === undefined) return undefined
    const found = { id, hash: hashApiKey(this.#sealer, text), opens: undefined }
    this.#texts.set(plain, found)
    return found
  }

  #find(id: string): Maybe<ApiKey | undefined> {
    try {
      const found = this.#keys.find(id)
      return isPending(found) ? Promise.resolve(found).catch(unavailable('key store')) : found
    } catch (cause) {
      return unavailable('key store')(cause)
    }
  }
}

function isSame(a: KeyAccounts, b: KeyAccounts): boolean {
  return a.org === b.org && a.team === b.team && a.user === b.user
}

function unavailable(store: string): (cause: unknown) => never {
  return cause => {
    const message = wording`The ${own(store)} is not available. Try again.`
    throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
  }
}

/** Beside `Authorization`. The SDKs of each API have a header of their own. */
const keyHeaders = ['x-api-key', 'x-goog-api-key'] as const

/** The key's text. Undefined if the header does not contain one. */
function keyIn(headers: HeaderReader, inQuery: readonly string[]): string | undefined {
  const authorization = headers.get('authorization')
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  let place = authorization ? 'Authorization' : undefined
  let key = bearer
  for (const name of keyHeaders) {
    const given = headers.get(name)?.trim()
    if (!given) continue
    // Headers of the same name arrive as one, with commas.
    if (given.includes(',')) throw unauthorized(wording`Several API keys were sent in ${own(name)}. Send one key, in one header.`)
    if (place !== undefined && given !== key) throw unauthorized(differ(`The headers ${place} and ${name}`))
    place = name
    key = given
  }
  for (const given of inQuery) {
    if (place !== undefined && given !== key) throw unauthorized(differ(place === '?key=' ? 'The parameters key' : `${place} and ?key=`))
    place = '?key='
    key = given
  }
  if (place === undefined)
    throw unauthorized(
      wording`No API key was sent. Send the header "Authorization: Bearer tp_…", "x-api-key: tp_…" or "x-goog-api-key: tp_…".`,
    )
  return key
}

function differ(places: string): Wording {
  return wording`${own(places)} contain different keys. Send one of them, or the same key in both.`
}

function sameHash(known: string, given: string): boolean {
  return known.length === given.length && timingSafeEqual(Buffer.from(known), Buffer.from(given))
}

function unauthorized(message: Wording): GatewayError {
  return new GatewayError({ status: 401, type: 'authentication_error', code: 'invalid_api_key', message })
}

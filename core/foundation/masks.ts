import { systemClock, type Clock } from './clock.ts'
import { SecretSchema } from './secret-schema.ts'
import { spellingsOf } from './secret-spellings.ts'
import { token } from './token.ts'

const shortestSecret = 6
const gatewayKey = /\b(t[pa])_([0-9A-Za-z]+)_[0-9A-Za-z]+/g

/** Knows every secret of this process, and masks them in output. */
export class Masks {
  /** The masks of this process, with all its secrets. */
  static readonly token = token<Masks>('masks')
  readonly #clock: Pick<Clock, 'now'>
  /** The expiry of each, in milliseconds since the epoch. */
  readonly #secrets = new Map<string, number>()
  #nextExpiryMs = Infinity
  #pattern: RegExp | undefined

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  /** Expired secrets are removed, because tokens would pile up otherwise. */
  add(secret: string, expiresAtMs = Infinity): void {
    if (secret.length < shortestSecret) return
    for (const text of spellingsOf(secret))
      if (text.length >= shortestSecret) this.#secrets.set(text, Math.max(expiresAtMs, this.#secrets.get(text) ?? 0))
    this.#nextExpiryMs = Math.min(expiresAtMs, this.#nextExpiryMs)
    this.#pattern = undefined
  }

  /** Adds the value of every option whose schema has `writeOnly: true`, including all strings inside it but mere addresses of servers. */
  addSecrets(schema: object, value: unknown): void {
    this.#addWithin(new SecretSchema([schema]), value, new Set())
  }

  #addWithin(schema: SecretSchema, value: unknown, seen: Set<object>): void {
    if (typeof value === 'string') {
      if (schema.isSecret && !isOrigin(value)) this.add(value)
    } else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      if (Array.isArray(value)) value.forEach((entry, index) => this.#addWithin(schema.entry(index), entry, seen))
      else for (const [name, member] of Object.entries(value)) this.#addWithin(schema.member(name), member, seen)
    }
  }

  /** Masks the secrets, and the gateway's own keys. */
  apply(text: string): string {
    return this.applySecrets(text.includes('tp_') || text.includes('ta_') ? text.replace(gatewayKey, '$1_$2_***') : text)
  }

  /** Leaves the gateway's own keys alone, for output that shows a new one. */
  applySecrets(text: string): string {
    if (this.#nextExpiryMs !== Infinity) this.#forgetExpired()
    if (this.#secrets.size === 0) return text
    this.#pattern ??= new RegExp(
      [...this.#secrets.keys()]
        .sort((a, b) => b.length - a.length)
        .map(escape)
        .join('|'),
      'g',
    )
    return text.replace(this.#pattern, '***')
  }

  /** Where a secret may begin whose rest is still to come: the last characters that one starts with. The text's length if there are none. */
  unfinishedFrom(text: string): number {
    const last = text.at(-1)
    let from = text.length
    if (last === undefined) return from
    for (const secret of this.#secrets.keys()) {
      if (!secret.includes(last)) continue
      const first = secret[0]!
      let at = text.indexOf(first, Math.max(0, text.length - secret.length + 1))
      while (at >= 0 && at < from && !secret.startsWith(text.slice(at))) at = text.indexOf(first, at + 1)
      if (at >= 0 && at < from) from = at
    }
    return from
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    if (now < this.#nextExpiryMs) return
    for (const [secret, expiresAtMs] of this.#secrets) if (expiresAtMs <= now) this.#secrets.delete(secret)
    this.#nextExpiryMs = Math.min(Infinity, ...this.#secrets.values())
    this.#pattern = undefined
  }
}

/** The address of a server alone, as of a collector, is no secret. Every text is searched for all secrets, so each costs time. */
function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.pathname === '/' && `${url.username}${url.password}${url.search}${url.hash}` === ''
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

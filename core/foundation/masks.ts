import { systemClock, type Clock } from './clock.ts'
import { token } from './token.ts'

const shortestSecret = 6
const gatewayKey = /\b(t[pa])_([0-9A-Za-z]+)_[0-9A-Za-z]+/g

/** Knows every secret of this process, and masks them in output. */
export class Masks {
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
    // JSON text contains the secret in its escaped form.
    for (const text of [secret, JSON.stringify(secret).slice(1, -1)])
      this.#secrets.set(text, Math.max(expiresAtMs, this.#secrets.get(text) ?? 0))
    this.#nextExpiryMs = Math.min(expiresAtMs, this.#nextExpiryMs)
    this.#pattern = undefined
  }

  /** Adds the value of every option whose schema has `writeOnly: true`, including all strings inside it. */
  addSecrets(schema: object, value: unknown, secret = false): void {
    const { writeOnly, properties, items, additionalProperties } = schema as SecretSchema
    const isSecret = secret || writeOnly === true
    if (typeof value === 'string') {
      if (isSecret) this.add(value)
    } else if (Array.isArray(value)) {
      for (const entry of value) this.addSecrets(items ?? {}, entry, isSecret)
    } else if (typeof value === 'object' && value !== null) {
      const open = typeof additionalProperties === 'object' ? additionalProperties : {}
      for (const [key, entry] of Object.entries(value)) this.addSecrets(properties?.[key] ?? open, entry, isSecret)
    }
  }

  apply(text: string): string {
    if (this.#nextExpiryMs !== Infinity) this.#forgetExpired()
    const masked = text.includes('tp_') || text.includes('ta_') ? text.replace(gatewayKey, '$1_$2_***') : text
    if (this.#secrets.size === 0) return masked
    this.#pattern ??= new RegExp(
      [...this.#secrets.keys()]
        .sort((a, b) => b.length - a.length)
        .map(escape)
        .join('|'),
      'g',
    )
    return masked.replace(this.#pattern, '***')
  }

  #forgetExpired(): void {
    const now = this.#clock.now()
    if (now < this.#nextExpiryMs) return
    for (const [secret, expiresAtMs] of this.#secrets) if (expiresAtMs <= now) this.#secrets.delete(secret)
    this.#nextExpiryMs = Math.min(Infinity, ...this.#secrets.values())
    this.#pattern = undefined
  }
}

interface SecretSchema {
  readonly writeOnly?: boolean
  readonly properties?: Readonly<Record<string, object>>
  readonly items?: object
  readonly additionalProperties?: boolean | object
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

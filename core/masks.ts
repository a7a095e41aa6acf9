import { token } from './token.ts'

const shortestSecret = 6
const gatewayKey = /\btp_([0-9A-Za-z]+)_[0-9A-Za-z]+/g

/** Knows every secret of this process and takes them out of whatever is about to leave it. */
export class Masks {
  static readonly token = token<Masks>('masks')
  #secrets = new Set<string>()
  #pattern: RegExp | undefined

  add(secret: string): void {
    if (secret.length < shortestSecret) return
    this.#secrets.add(secret)
    // In JSON text a secret stands escaped.
    const quoted = JSON.stringify(secret).slice(1, -1)
    this.#secrets.add(quoted)
    this.#pattern = undefined
  }

  /** Adds the value of every option that its schema marks `writeOnly`, and of all headers: they often carry credentials. */
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
    const masked = text.includes('tp_') ? text.replace(gatewayKey, 'tp_$1_***') : text
    if (this.#secrets.size === 0) return masked
    this.#pattern ??= new RegExp(
      [...this.#secrets]
        .sort((a, b) => b.length - a.length)
        .map(escape)
        .join('|'),
      'g',
    )
    return masked.replace(this.#pattern, '***')
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

import { createHash } from 'node:crypto'
import type { ProviderAdapter } from '../contracts/adapter.ts'
import type { Credential } from '../contracts/provider.ts'
import { PluginError } from '../foundation/errors.ts'
import { checkKeyText } from './key-text.ts'

// Options that every provider plugin has, with those of `sending-options.ts`. `id` and `baseUrl` have different defaults, so each plugin
// defines them itself.

/** One key, or several to rotate through. */
export const apiKeyOption = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
  ],
  writeOnly: true,
  description: "The vendor's API key, or several to rotate through.",
} as const

/** The option `headers` of providers and search engines. Values are secret. */
export const headersOption = {
  type: 'object',
  additionalProperties: { type: 'string', writeOnly: true },
  description: 'Headers sent with every request to the vendor.',
} as const

/** A provider's keys, by ids that are safe to log. */
export class ApiKeys {
  /** For `HttpProviderOptions.credentials`. Undefined without a key. */
  readonly credentials: readonly Credential[] | undefined
  readonly #secrets = new Map<string, string>()

  constructor(apiKey: string | readonly string[] | undefined) {
    const secrets = apiKey === undefined ? [] : typeof apiKey === 'string' ? [apiKey] : apiKey
    for (const secret of secrets) {
      checkKeyText(secret)
      this.#secrets.set(createHash('sha256').update(secret).digest('hex').slice(0, 8), secret)
    }
    this.credentials = secrets.length === 0 ? undefined : Array.from(this.#secrets.keys(), id => ({ id, account: id }))
  }

  /** Call this for a vendor's own address, which requires a key. Throws a `PluginError` that explains how to set one. */
  demand(plugin: string, variable: string): void {
    if (!this.credentials) throw new PluginError(plugin, `needs the option apiKey, such as apiKey: env('${variable}').`)
  }

  /**
   * An adapter's `authorize`: puts the key in this header, behind the word `scheme`, which is `Bearer` in `authorization` and nothing in
   * others, unless you give one. Without a key, the request stays unchanged.
   */
  authorizeBy(header: string, scheme = header === 'authorization' ? 'Bearer' : ''): NonNullable<ProviderAdapter['authorize']> {
    const prefix = scheme && `${scheme} `
    return (request, credentialId) => {
      const secret = this.secret(credentialId)
      return secret === undefined ? request : { ...request, headers: { ...request.headers, [header]: prefix + secret } }
    }
  }

  /** The key of a credential, if the provider has keys. */
  secret(credentialId: string | undefined): string | undefined {
    return credentialId === undefined ? undefined : this.#secrets.get(credentialId)
  }
}

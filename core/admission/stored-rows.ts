import { AccountStore, type Account } from '../contracts/account-store.ts'
import { KeyStore, type ApiKey } from '../contracts/key-store.ts'
import { GatewayError, PluginError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import type { JsonObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { describePluginError, Logger } from '../foundation/logger.ts'
import type { Token } from '../foundation/token.ts'
import { wire } from '../framework/container.ts'
import { ServicePlugins } from '../framework/service-plugins.ts'
import type { Shape } from '../framework/shape.ts'
import { accountShape, keyShape } from './stored-shapes.ts'

/**
 * Checks what stores of plugins return, because a limit of another kind than core expects would limit nothing; and freezes it, because core
 * and other plugins share it. Throws a 503 for a malformed row, and logs which member it is.
 */
export class StoredRows {
  readonly #plugins: ServicePlugins
  readonly #log: Logger

  static {
    wire(this, [ServicePlugins, Logger])
  }

  constructor(plugins: ServicePlugins, log: Logger) {
    this.#plugins = plugins
    this.#log = log
  }

  key(key: ApiKey): ApiKey {
    const problem = problemOf(key, keyShape)
    if (problem !== undefined) throw this.#malformed(KeyStore, 'key store', `returned an API key ${problem}`, { key: nameIn(key) })
    return freezeDeeply(key)
  }

  account(account: Account): Account {
    const problem = problemOf(account, accountShape)
    if (problem !== undefined)
      throw this.#malformed(AccountStore, 'account store', `returned an account ${problem}`, { account: nameIn(account) })
    return freezeDeeply(account)
  }

  #malformed(service: Token<any>, store: string, problem: string, fields: JsonObject): GatewayError {
    const plugin = this.#plugins.get(service) ?? 'unknown'
    const cause = new PluginError(plugin, problem)
    this.#log.error('a stored object is malformed, so requests that need it are refused', {
      plugin,
      ...fields,
      ...describePluginError(cause, false),
    })
    const message = wording`The ${own(store)} is not available. Try again.`
    return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
  }
}

/** Quotes nothing but numbers: a member may be a secret. */
function problemOf(row: unknown, shape: Shape): string | undefined {
  if (typeof row !== 'object' || row === null) return `that is no object: got ${shownKind(row)}`
  for (const name in shape) {
    const { accepts, expected } = shape[name]!
    try {
      const value: unknown = row[name as keyof typeof row]
      if (!accepts(value)) return `with a bad \`${name}\`: expected ${expected}, got ${shownKind(value)}`
    } catch {
      return `with a bad \`${name}\`: expected ${expected}, got a member that throws when it is read`
    }
  }
  return undefined
}

function shownKind(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value)
}

function nameIn({ id }: { readonly id: string }): string | undefined {
  return typeof id === 'string' ? id : undefined
}

import { text } from 'node:stream/consumers'
import { parseJson, ProviderFailure, type Clock, type HttpClient } from '../../../core/index.ts'

export interface EntraOptions {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string
  readonly tokenUrl?: string | undefined
}

/** A token is replaced this long before it expires. */
const marginMs = 300_000
const timeoutMs = 20_000

/** Access tokens of Microsoft Entra by the client credentials grant. One is asked for when it is first needed, and once for all who wait. */
export class EntraToken {
  readonly #options: EntraOptions
  readonly #http: HttpClient
  readonly #clock: Clock
  readonly #onSecret: (secret: string) => void
  #current: { readonly value: string; readonly until: number } | undefined
  #pending: Promise<string> | undefined

  /** `onSecret` hears every new token, so that it can be masked. */
  constructor(options: EntraOptions, http: HttpClient, clock: Clock, onSecret: (secret: string) => void = () => {}) {
    this.#options = options
    this.#http = http
    this.#clock = clock
    this.#onSecret = onSecret
  }

  get id(): string {
    return this.#options.clientId
  }

  /** Throws `ProviderFailure`; an abort throws the signal's reason, and leaves the question open for others. */
  async value(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted()
    if (this.#current && this.#clock.now() < this.#current.until) return this.#current.value
    this.#pending ??= this.#ask().finally(() => (this.#pending = undefined))
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#pending, aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #ask(): Promise<string> {
    const { tenantId, clientId, clientSecret, scope, tokenUrl } = this.#options
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope }
    const reply = await this.#http.send(
      {
        method: 'POST',
        url: tokenUrl ?? `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      },
      { signal: AbortSignal.timeout(timeoutMs) },
    )
    const { access_token: value, expires_in: seconds, error_description: reason } = parsed(await text(reply.body))
    if (reply.status >= 500)
      throw new ProviderFailure({ kind: 'unavailable', message: `Microsoft Entra gave no access token (status ${reply.status}).` })
    if (typeof value !== 'string')
      throw new ProviderFailure({
        kind: 'auth',
        message: `Microsoft Entra gave no access token: ${String(reason ?? `status ${reply.status}`)}`,
      })
    this.#onSecret(value)
    this.#current = { value, until: this.#clock.now() + Number(seconds ?? 0) * 1000 - marginMs }
    return value
  }
}

function parsed(body: string): { readonly access_token?: unknown; readonly expires_in?: unknown; readonly error_description?: unknown } {
  return (parseJson(body) as object | null | undefined) ?? {}
}

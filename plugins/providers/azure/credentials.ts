import type { ApiKeys, Credential, RenewedCredential, UpstreamRequest } from '../../../core/kit.ts'
import type { Api } from './deployments.ts'

/** A renewed access token, by an id that is safe to log. */
export interface EntraTokens {
  readonly id: string
  readonly token: RenewedCredential<string>
}

/** How requests authenticate: with a key of the resource, a fixed token, or a renewed token. */
export class AzureCredentials {
  readonly list: readonly Credential[]
  readonly #keys: ApiKeys
  readonly #kind: 'key' | 'token'
  readonly #entra: EntraTokens | undefined

  /** `account`: all keys of a resource share reasoning state. */
  constructor(secrets: ApiKeys, kind: 'key' | 'token', entra: EntraTokens | undefined, account: string) {
    this.#keys = secrets
    this.#kind = kind
    this.#entra = entra
    this.list = (entra ? [{ id: entra.id }] : secrets.credentials!).map(({ id }) => ({ id, account }))
  }

  async authorize(request: UpstreamRequest, credentialId: string | undefined, signal: AbortSignal, api: Api): Promise<UpstreamRequest> {
    const secret = this.#entra ? await this.#entra.token.value(signal) : this.#keys.secret(credentialId)
    if (secret === undefined) return request
    const header =
      this.#entra || this.#kind === 'token'
        ? { authorization: `Bearer ${secret}` }
        : { [api === 'anthropic' ? 'x-api-key' : 'api-key']: secret }
    return { ...request, headers: { ...request.headers, ...header } }
  }
}

import { createHash } from 'node:crypto'
import { ApiKeys, ProviderFailure, type Credential, type RenewedCredential, type UpstreamRequest } from '../../../core/index.ts'
import type { AwsKeys, Signer } from './signer.ts'

export interface CredentialSources {
  readonly apiKey?: string | readonly string[] | undefined
  readonly accessKeys?: readonly AwsKeys[] | undefined
  readonly profiles?: readonly string[] | undefined
  /** Whatever AWS's own tools find. */
  readonly defaultChain?: boolean | undefined
}

/** API keys, access keys, profiles and the default chain behind ids that may be logged. */
export class AwsCredentials {
  readonly credentials: readonly Credential[]
  readonly #apiKeys: ApiKeys
  readonly #accessKeys: ReadonlyMap<string, AwsKeys>
  readonly #chains: ReadonlyMap<string, RenewedCredential<AwsKeys>>

  /** `chainOf` makes the credentials of a profile, or without one those of the default chain. */
  constructor(sources: CredentialSources, chainOf: (profile: string | undefined) => RenewedCredential<AwsKeys>) {
    const { apiKey, accessKeys = [], profiles = [], defaultChain = false } = sources
    this.#apiKeys = new ApiKeys(apiKey)
    this.#accessKeys = new Map(accessKeys.map(keys => [createHash('sha256').update(keys.accessKeyId).digest('hex').slice(0, 8), keys]))
    this.#chains = new Map([
      ...profiles.map(name => [`profile:${name}`, chainOf(name)] as const),
      ...(defaultChain ? [['default-chain', chainOf(undefined)] as const] : []),
    ])
    this.credentials = [
      ...(this.#apiKeys.credentials ?? []),
      ...[...this.#accessKeys.keys(), ...this.#chains.keys()].map(id => ({ id, account: id })),
    ]
  }

  /** API keys go as they are, access keys sign. */
  async authorize(
    request: UpstreamRequest,
    credentialId: string | undefined,
    signal: AbortSignal,
    signer: Signer | undefined,
  ): Promise<UpstreamRequest> {
    const apiKey = this.#apiKeys.secret(credentialId)
    if (apiKey !== undefined) return { ...request, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }
    const keys =
      credentialId === undefined ? undefined : (this.#accessKeys.get(credentialId) ?? (await this.#chains.get(credentialId)?.value(signal)))
    if (!keys || !signer) throw new ProviderFailure({ kind: 'auth', message: 'There are no AWS credentials to sign the request with.' })
    return signer.sign(request, keys)
  }
}

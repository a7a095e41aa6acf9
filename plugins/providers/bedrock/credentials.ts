import { createHash } from 'node:crypto'
import { ProviderFailure } from '../../../core/index.ts'
import { ApiKeys, type Credential, type RenewedCredential, type UpstreamRequest } from '../../../core/kit.ts'
import type { AwsKeys, Signer } from './signer.ts'

export interface CredentialSources {
  readonly apiKey?: string | readonly string[] | undefined
  readonly accessKeys?: readonly AwsKeys[] | undefined
  readonly profiles?: readonly string[] | undefined
  /** Use the default chain of the AWS tools. */
  readonly defaultChain?: boolean | undefined
}

/** API keys, access keys, profiles and the default chain, by ids that are safe to log. */
export class AwsCredentials {
  readonly credentials: readonly Credential[]
  readonly #apiKeys: ApiKeys
  readonly #accessKeys: ReadonlyMap<string, AwsKeys>
  readonly #chains: ReadonlyMap<string, RenewedCredential<AwsKeys>>

  /** `chainOf` creates the credentials for a profile, or for the default chain. */
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

  /** Sends an API key as a bearer token, or signs with access keys. */
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
    if (!keys || !signer) throw new ProviderFailure({ kind: 'auth', message: 'No AWS credentials to sign the request with.' })
    return signer.sign(request, keys)
  }
}

import { createHash } from 'node:crypto'
import { ApiKeys, ProviderFailure, type Credential, type UpstreamRequest } from '../../../core/index.ts'
import { Profile } from './profile.ts'
import type { AwsKeys, Signer } from './signer.ts'

export interface CredentialSources {
  readonly apiKey?: string | readonly string[] | undefined
  readonly accessKeys?: readonly AwsKeys[] | undefined
  readonly profiles?: readonly string[] | undefined
}

/** API keys, access keys and profiles behind ids that may be logged. */
export class AwsCredentials {
  readonly credentials: readonly Credential[]
  readonly #apiKeys: ApiKeys
  readonly #accessKeys: ReadonlyMap<string, AwsKeys>
  readonly #profiles: ReadonlyMap<string, Profile>

  /** `keep` is told of every secret that is read from a file. */
  constructor({ apiKey, accessKeys = [], profiles = [] }: CredentialSources, keep: (secret: string) => void) {
    this.#apiKeys = new ApiKeys(apiKey)
    this.#accessKeys = new Map(accessKeys.map(keys => [createHash('sha256').update(keys.accessKeyId).digest('hex').slice(0, 8), keys]))
    this.#profiles = new Map(profiles.map(name => [`profile:${name}`, new Profile(name, keep)]))
    this.credentials = [
      ...(this.#apiKeys.credentials ?? []),
      ...[...this.#accessKeys.keys(), ...this.#profiles.keys()].map(id => ({ id, account: id })),
    ]
  }

  /** API keys go as they are, access keys sign. */
  async authorize(request: UpstreamRequest, credentialId: string | undefined, signer: Signer | undefined): Promise<UpstreamRequest> {
    const apiKey = this.#apiKeys.secret(credentialId)
    if (apiKey !== undefined) return { ...request, headers: { ...request.headers, authorization: `Bearer ${apiKey}` } }
    const keys =
      credentialId === undefined ? undefined : (this.#accessKeys.get(credentialId) ?? (await this.#profiles.get(credentialId)?.keys()))
    if (!keys || !signer) throw new ProviderFailure({ kind: 'auth', message: 'There are no AWS credentials to sign the request with.' })
    return signer.sign(request, keys)
  }
}

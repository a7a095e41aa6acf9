import type { Clock } from '../../../core/index.ts'
import { RenewedCredential, type Grant } from '../../../core/kit.ts'
import type { AwsKeys } from './signer.ts'
import { sharedFilesVersion } from './shared-files.ts'

/** The package that finds and renews credentials. Not needed for access keys and API keys. */
export const credentialPackage = '@aws-sdk/credential-provider-node'

/** Keys that do not expire come from a file, so the files are checked this often. */
const recheckMs = 10_000

export interface CredentialChainOptions {
  /** Without a profile, the default chain of the AWS tools. */
  readonly profile: string | undefined
  readonly region: string
  readonly clock: Pick<Clock, 'now'>
  keep(secret: string, expiresAtMs: number | undefined): void
}

/** Access keys from AWS's library: by profile, role, single sign-on, process, web identity, container or instance. */
export function credentialChain(options: CredentialChainOptions): RenewedCredential<AwsKeys> {
  const { profile, clock, keep } = options
  const chain = new Chain(options)
  return new RenewedCredential({
    vendor: 'AWS',
    advice:
      profile === undefined ? 'Check the environment and the role of this machine.' : `Check the profile "${profile}", or log in again.`,
    clock,
    ask: () => chain.ask(),
    keep,
  })
}

class Chain {
  readonly #options: CredentialChainOptions
  #provider: (() => Promise<AwsKeys & { readonly expiration?: Date }>) | undefined
  #version = ''

  constructor(options: CredentialChainOptions) {
    this.#options = options
  }

  async ask(): Promise<Grant<AwsKeys>> {
    const { profile, region, clock } = this.#options
    const version = await sharedFilesVersion()
    if (!this.#provider || version !== this.#version) {
      const { defaultProvider } = await import('@aws-sdk/credential-provider-node')
      this.#provider = defaultProvider({ ...(profile !== undefined && { profile }), ignoreCache: true, parentClientConfig: { region } })
      this.#version = version
    }
    const keys = await this.#provider()
    const expiresAtMs = keys.expiration?.getTime()
    return {
      value: keys,
      expiresAtMs,
      renewAtMs: expiresAtMs === undefined ? clock.now() + recheckMs : undefined,
      secrets: [keys.secretAccessKey, keys.sessionToken ?? ''],
    }
  }
}

import { Clock, definePlugin, Providers } from '../../../core/index.ts'
import { httpProvider, requirePeer } from '../../../core/kit.ts'
import { bedrockAdapter } from './adapter.ts'
import { connectionOf } from './connection.ts'
import { credentialChain, credentialPackage } from './credential-chain.ts'
import { AwsCredentials, type CredentialSources } from './credentials.ts'
import { optionsSchema } from './options.ts'
import { Signer } from './signer.ts'

/** Amazon Bedrock in one region, by its Converse API. */
export default definePlugin({
  name: 'bedrock',
  options: optionsSchema,
  needs: { clock: Clock },
  instance: options => options.id,
  async setup(gateway, options, { clock }) {
    const { id, invoke, beta, defaultMaxTokens } = options
    const { sources, region, baseUrl } = await connectionOf(gateway.name, options, process.env)
    for (const secret of secretsOf(sources)) gateway.secret(secret)
    if (sources.profiles?.length || sources.defaultChain)
      requirePeer(gateway.name, credentialPackage, 'for profiles, roles and the default credential chain')
    const keep = (secret: string, expiresAtMs: number | undefined): void => gateway.secret(secret, expiresAtMs)
    // `connectionOf` guarantees a region if requests are signed.
    const credentials = new AwsCredentials(sources, profile => credentialChain({ profile, region: region!, clock, keep }))
    const signer = region === undefined ? undefined : new Signer(region, clock)
    const adapter = bedrockAdapter({
      baseUrl,
      invoke,
      beta,
      defaultMaxTokens,
      authorize: (request, credentialId, signal) => credentials.authorize(request, credentialId, signal, signer),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { ...options, credentials: credentials.credentials }))
  },
})

/** Includes secrets from the environment, which are not in any option. */
function secretsOf({ apiKey = [], accessKeys = [] }: CredentialSources): readonly string[] {
  return [...[apiKey].flat(), ...accessKeys.flatMap(({ secretAccessKey, sessionToken }) => [secretAccessKey, sessionToken ?? ''])]
}

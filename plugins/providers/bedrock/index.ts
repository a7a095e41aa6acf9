import { Clock, definePlugin, httpProvider, Providers } from '../../../core/index.ts'
import { bedrockAdapter } from './adapter.ts'
import { connectionOf } from './connection.ts'
import { AwsCredentials, type CredentialSources } from './credentials.ts'
import { optionsSchema } from './options.ts'
import { Signer } from './signer.ts'

/** Amazon Bedrock in one region, by its Converse API. */
export default definePlugin({
  name: 'bedrock',
  options: optionsSchema,
  needs: { clock: Clock },
  instance: options => options.id,
  setup(gateway, options, { clock }) {
    const { id, invoke, beta, defaultMaxTokens, headers, timeouts } = options
    const { sources, region, baseUrl } = connectionOf(gateway.name, options, process.env)
    for (const secret of secretsOf(sources)) gateway.secret(secret)
    const credentials = new AwsCredentials(sources, secret => gateway.secret(secret))
    const signer = region === undefined ? undefined : new Signer(region, clock)
    const adapter = bedrockAdapter({
      baseUrl,
      invoke,
      beta,
      defaultMaxTokens,
      authorize: (request, credentialId) => credentials.authorize(request, credentialId, signer),
    })
    gateway.add(Providers, httpProvider(id, adapter, gateway.http, { credentials: credentials.credentials, timeouts, headers }))
  },
})

/** Those of the environment stand in no option. */
function secretsOf({ apiKey = [], accessKeys = [] }: CredentialSources): readonly string[] {
  return [...[apiKey].flat(), ...accessKeys.flatMap(({ secretAccessKey, sessionToken }) => [secretAccessKey, sessionToken ?? ''])]
}

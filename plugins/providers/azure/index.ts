import { CatalogSources, Clock, definePlugin, PluginError, Providers } from '../../../core/index.ts'
import { apiKeyOption, ApiKeys, headersOption, requirePeer, sendingOptions } from '../../../core/kit.ts'
import { resourceOf } from './address.ts'
import { deployedModels } from './catalog.ts'
import { AzureCredentials } from './credentials.ts'
import { apis, Deployments } from './deployments.ts'
import { entraOption, entraProblem, withPaths } from './entra-option.ts'
import { entraToken, identityPackage } from './entra-token.ts'
import { azureProvider } from './provider.ts'

const apiOption = { enum: apis, description: "The dialect of a deployment. Default: by the model's name." } as const
const apiVersionOption = {
  type: 'string',
  pattern: '^(\\d{4}-\\d{2}-\\d{2}(-preview)?|preview|latest|v1)$',
  description:
    'A date such as `2025-04-01-preview` selects the classic per-deployment addresses. Default: the v1 API, which needs no version.',
} as const
const secret = { type: 'string', minLength: 1, writeOnly: true } as const

/** Models on Azure: OpenAI's and other makers' through Responses and Chat Completions, Anthropic's through Messages. */
export default definePlugin({
  name: 'azure',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1, default: 'azure', description: 'The slug in `provider/model`.' },
      resource: { type: 'string', pattern: '^[A-Za-z0-9-]+$', description: 'The name of the resource.' },
      baseUrl: {
        type: 'string',
        format: 'uri',
        description: 'The endpoint of the resource, as shown in the portal, instead of `resource`.',
      },
      apiKey: apiKeyOption,
      token: { ...secret, description: 'A Microsoft Entra access token, instead of a key.' },
      entra: entraOption,
      api: apiOption,
      apiVersion: apiVersionOption,
      deployments: {
        type: 'object',
        additionalProperties: {
          anyOf: [
            { type: 'string', minLength: 1 },
            {
              type: 'object',
              additionalProperties: false,
              properties: { deployment: { type: 'string', minLength: 1 }, api: apiOption, apiVersion: apiVersionOption },
            },
          ],
        },
        description:
          'By model name: the deployment that serves it, or its settings. A model that is not listed uses a deployment with its own name.',
      },
      headers: headersOption,
      ...sendingOptions,
    },
  },
  needs: { clock: Clock },
  instance: options => options.id,
  setup(
    gateway,
    { id, resource, baseUrl, apiKey, token, entra: asked, api, apiVersion, deployments: given, headers, ...sending },
    { clock },
  ) {
    const address = resourceOf(resource, baseUrl)
    if (!address) throw new PluginError(gateway.name, 'needs the option resource, or baseUrl with the endpoint of the resource.')
    if ([apiKey, token, asked].filter(each => each !== undefined).length !== 1)
      throw new PluginError(gateway.name, 'needs exactly one of the options apiKey, token and entra.')
    const secrets = new ApiKeys(apiKey ?? token)
    const entra = asked && withPaths(asked, path => gateway.resolvePath(path))
    const problem = entra && entraProblem(entra, process.env)
    if (problem !== undefined) throw new PluginError(gateway.name, problem)
    if (entra) requirePeer(gateway.name, identityPackage, 'for the option entra')
    const tokens = entra && {
      id: entra.clientId ?? 'entra',
      token: entraToken(entra, clock, (secret, expiresAtMs) => gateway.secret(secret, expiresAtMs)),
    }
    const credentials = new AzureCredentials(secrets, token === undefined ? 'key' : 'token', tokens, new URL(address.openai).host)
    const deployments = new Deployments({ deployments: given, api, apiVersion })
    gateway.add(Providers, azureProvider({ id, resource: address, deployments, credentials, headers, ...sending }, gateway.http))
    if (deployments.listed.size > 0) gateway.add(CatalogSources, deployedModels(id, deployments))
  },
})

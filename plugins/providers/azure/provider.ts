import type { Capabilities, Provider, ProviderCall } from '../../../core/index.ts'
import {
  httpProvider,
  type EmbeddingDialect,
  type HttpClient,
  type HttpProviderOptions,
  type NamedEndpoint,
  type ProviderAdapter,
} from '../../../core/kit.ts'
import { chatAdapter, messagesAdapter, openaiEmbeddings, responsesAdapter } from '../../../dialects/index.ts'
import { claude as claudeTraits } from '../anthropic/models.ts'
import { searching } from '../openai-responses/searching.ts'
import { embeddingsUrlOf, urlOf, type Resource } from './address.ts'
import { classic, current, otherMakers } from './chat-hosts.ts'
import type { AzureCredentials } from './credentials.ts'
import { isOpenai, type Api, type Deployments } from './deployments.ts'
import { orOfPlatform } from './failure.ts'

export interface AzureOptions extends Omit<HttpProviderOptions, 'credentials'> {
  readonly id: string
  readonly resource: Resource
  readonly deployments: Deployments
  readonly credentials: AzureCredentials
}

/** One provider with several dialects. The operator or the model's name decides which one a deployment speaks. */
export function azureProvider({ id, resource, deployments, credentials, headers, ...sending }: AzureOptions, http: HttpClient): Provider {
  const made = openaiEmbeddings(call => embeddingsUrlOf(resource, deployments.of(call.endpoint)), { tokens: true })
  const embeddings: EmbeddingDialect = {
    ...made,
    prepare: call => made.prepare({ ...call, endpoint: { ...call.endpoint, upstreamModel: deployments.of(call.endpoint).name } }),
  }
  const speaking = (api: Api, adapter: ProviderAdapter): Provider =>
    httpProvider(
      id,
      {
        ...adapter,
        prepare: call => ({ ...adapter.prepare(call), url: urlOf(resource, deployments.of(call.endpoint)) }),
        embeddings,
        authorize: (request, credentialId, signal) => credentials.authorize(request, credentialId, signal, api),
        failure: orOfPlatform(adapter.failure),
      },
      http,
      { credentials: credentials.list, headers, ...sending },
    )
  const responses = speaking('responses', named(responsesAdapter({ search: searching })))
  const chats = new Map([current, classic, otherMakers].map(host => [host, speaking('chat', named(chatAdapter(host)))]))
  const claude = speaking(
    'anthropic',
    messagesAdapter({
      traits: claudeTraits,
      // The model's own name tells its traits.
      changeRequest: (body, call) => ({ ...body, model: deployments.of(call.endpoint).name }),
    }),
  )
  const spokenBy = (endpoint: NamedEndpoint): Provider => {
    const { name, api, apiVersion } = deployments.of(endpoint)
    if (api === 'responses') return responses
    if (api === 'anthropic') return claude
    const host = !isOpenai(endpoint.model) && !isOpenai(name) ? otherMakers : apiVersion === undefined ? current : classic
    return chats.get(host)!
  }

  /** Sends the deployment's name as the model. */
  function named(adapter: ProviderAdapter): ProviderAdapter {
    return { ...adapter, prepare: call => adapter.prepare(withUpstreamModel(call, deployments.of(call.endpoint).name)) }
  }

  const { capabilities: _capabilities, ...any } = responses
  const only = deployments.onlyApi && { responses, chat: chats.get(otherMakers)!, anthropic: claude }[deployments.onlyApi]
  return {
    ...any,
    capabilities: only?.capabilities ?? leastCapabilities,
    // A deployment that is reached through Chat Completions has no search, whatever its model.
    capabilitiesOf: named => ({ webSearch: false, ...spokenBy(named).capabilitiesOf?.(named) }),
    enforcesFormat: (format, endpoint) => spokenBy(endpoint).enforcesFormat?.(format, endpoint) ?? true,
    dialectOf: named => spokenBy(named).dialect,
    generate: call => spokenBy(call.endpoint).generate(call),
  }
}

const leastCapabilities: Capabilities = { customTools: false, namespaceTools: false, allowedTools: false }

function withUpstreamModel(call: ProviderCall, upstreamModel: string): ProviderCall {
  return { ...call, endpoint: { ...call.endpoint, upstreamModel } }
}

import type { Endpoint, JsonObject, Provider } from '../../../core/index.ts'
import {
  httpProvider,
  type HttpClient,
  type HttpProviderOptions,
  type NamedEndpoint,
  type ProviderAdapter,
  type RenewedCredential,
} from '../../../core/kit.ts'
import { messagesAdapter, type Envelope } from '../../../dialects/index.ts'
import { claude as claudeTraits } from '../anthropic/models.ts'
import { geminiAdapter } from '../gemini/adapter.ts'
import type { SafetySetting } from '../gemini/wire.ts'
import { vertexEmbeddings } from './embeddings.ts'
import type { AuthorizationHeaders } from './google-token.ts'

export interface VertexOptions extends Omit<HttpProviderOptions, 'credentials'> {
  readonly id: string
  /** `…/projects/{project}/locations/{location}`. */
  readonly root: string
  readonly project: string
  readonly token: RenewedCredential<AuthorizationHeaders>
  readonly safetySettings?: readonly SafetySetting[] | undefined
}

/** One provider with two dialects. The model's name decides. */
export function vertexProvider(
  { id, root, project, token, safetySettings, headers, ...sending }: VertexOptions,
  http: HttpClient,
): Provider {
  const authorize: ProviderAdapter['authorize'] = async (request, _credentialId, signal) => ({
    ...request,
    headers: { ...request.headers, ...(await token.value(signal)) },
  })
  const options = { credentials: [{ id: project, account: project }], headers, ...sending }
  const modelUrl = ({ upstreamModel }: Endpoint, publisher: string): string =>
    `${root}/publishers/${publisher}/models/${encodeURIComponent(upstreamModel.replace(/^(publishers\/\w+\/)?models\//, ''))}`
  const gemini = httpProvider(
    id,
    {
      ...geminiAdapter({ modelUrl: ({ endpoint }) => modelUrl(endpoint, 'google'), safetySettings, authorize }),
      embeddings: vertexEmbeddings(endpoint => modelUrl(endpoint, 'google')),
    },
    http,
    options,
  )
  const claude = httpProvider(
    id,
    {
      ...messagesAdapter({
        traits: claudeTraits,
        url: ({ endpoint, request }) => `${modelUrl(endpoint, 'anthropic')}:${request.stream ? 'streamRawPredict' : 'rawPredict'}`,
        version: 'vertex-2023-10-16',
        envelope,
        systemTurns: false,
        // The platform does not fetch URLs for Claude.
        media: { images: 'inline', files: 'inline' },
      }),
      authorize,
    },
    http,
    options,
  )
  const spokenBy = (endpoint: NamedEndpoint): Provider => (isClaude(endpoint) ? claude : gemini)
  return {
    ...gemini,
    // The catalog adds what only one of them can do.
    capabilities: { customTools: false, namespaceTools: false, allowedTools: false },
    capabilitiesOf: named => spokenBy(named).capabilitiesOf?.(named) ?? {},
    enforcesFormat: (format, endpoint) => spokenBy(endpoint).enforcesFormat?.(format, endpoint) ?? true,
    dialectOf: named => spokenBy(named).dialect,
    generate: call => spokenBy(call.endpoint).generate(call),
  }
}

/** An unknown name is a Google model. */
function isClaude({ upstreamModel, model }: NamedEndpoint): boolean {
  return /claude/i.test(upstreamModel) || (!/gemini|gemma/i.test(upstreamModel) && /claude/i.test(model))
}

/** "Claude on Vertex AI": the model is in the address, version and betas are in the body. */
function envelope({ model: _, ...message }: JsonObject, version: string, betas: readonly string[]): Envelope {
  return { headers: {}, body: { anthropic_version: version, ...(betas.length > 0 && { anthropic_beta: betas }), ...message } }
}

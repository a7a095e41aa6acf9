import type { Capabilities, CatalogSource } from '../../../core/index.ts'
import { responsesCapabilities } from '../openai-responses/adapter.ts'
import type { Api, Deployments } from './deployments.ts'

/** The operator's deployed models, with the capabilities of their dialects. */
export function deployedModels(provider: string, deployments: Deployments): CatalogSource {
  const entries = Array.from(deployments.listed, ([model, { api }]) => ({
    model,
    endpoints: [{ provider, capabilities: capabilitiesOf[api] }],
  }))
  return { name: `deployments of ${provider}`, rank: 'provider', summary: () => `${entries.length} deployments`, entries: () => entries }
}

const functionsOnly: Capabilities = { customTools: false, namespaceTools: false, allowedTools: false }

const capabilitiesOf: Readonly<Record<Api, Capabilities>> = {
  responses: responsesCapabilities,
  chat: functionsOnly,
  anthropic: functionsOnly,
}

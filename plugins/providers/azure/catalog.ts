import type { Capabilities, CatalogSource } from '../../../core/index.ts'
import { responsesAdapter } from '../../../dialects/index.ts'
import type { Api, Deployments } from './deployments.ts'

/** The operator's deployed models, with the capabilities of their dialects. */
export function deployedModels(provider: string, deployments: Deployments): CatalogSource {
  const entries = Array.from(deployments.listed, ([model, { name, api }]) => ({
    model,
    endpoints: [makesEmbeddings(model, name) ? { provider, kind: 'embedding' as const } : { provider, capabilities: capabilitiesOf[api] }],
  }))
  return { name: `deployments of ${provider}`, rank: 'provider', summary: () => `${entries.length} deployments`, entries: () => entries }
}

const functionsOnly: Capabilities = { customTools: false, namespaceTools: false, allowedTools: false }

const capabilitiesOf: Readonly<Record<Api, Capabilities>> = {
  responses: responsesAdapter({}).capabilities!,
  chat: functionsOnly,
  anthropic: functionsOnly,
}

/** The platform tells the kind of a deployment only to those who may manage it, so the names decide. */
function makesEmbeddings(model: string, deployment: string): boolean {
  return [model, deployment].some(name => /embed/i.test(name))
}

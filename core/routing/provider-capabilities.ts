import type { Capabilities, Endpoint, NamedEndpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import { loggableMessage } from '../foundation/logger.ts'
import { capabilitiesProblem } from '../framework/capabilities-shape.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'

export type CapableProvider = Pick<Provider, 'id' | 'capabilities' | 'capabilitiesOf'>

/** Failures of providers to state their capabilities, by the endpoint that was created without them. */
const mistakes = new WeakMap<Endpoint, ProviderMistake>()

/** An endpoint for a model name that no catalog lists. Throws a `ProviderMistake`. */
export function unlistedEndpoint(provider: CapableProvider, model: string, upstreamModel = model): Endpoint {
  const { id } = provider
  const capabilities = Object.freeze({ ...provider.capabilities, ...ownCapabilities(provider, { provider: id, model, upstreamModel }) })
  return Object.freeze({ provider: id, model, upstreamModel, listed: false, capabilities, zdr: false, hipaa: false })
}

/** The same for a request: a mistake fails the attempt at the endpoint, so that others can serve the request. */
export function requestedEndpoint(provider: CapableProvider, model: string): Endpoint {
  try {
    return unlistedEndpoint(provider, model)
  } catch (mistake) {
    if (!(mistake instanceof ProviderMistake)) throw mistake
    const { id, capabilities = {} } = provider
    const endpoint = unlistedEndpoint({ id, capabilities }, model)
    mistakes.set(endpoint, mistake)
    return endpoint
  }
}

/** The reason why the endpoint cannot be asked, if there is one. */
export function mistakeAt(endpoint: Endpoint): ProviderMistake | undefined {
  return endpoint.listed ? undefined : mistakes.get(endpoint)
}

function ownCapabilities(provider: CapableProvider, named: NamedEndpoint): Capabilities | undefined {
  if (!provider.capabilitiesOf) return undefined
  const place = `\`capabilitiesOf\` of provider "${provider.id}"`
  let own: Capabilities
  try {
    own = provider.capabilitiesOf(named)
  } catch (cause) {
    throw new ProviderMistake(`failed in ${place}: ${loggableMessage(cause)}`, { cause, isUnsent: true })
  }
  const problem = capabilitiesProblem(own)
  if (problem === undefined) return own
  throw new ProviderMistake(`returned capabilities from ${place}${problem}`, { isUnsent: true })
}

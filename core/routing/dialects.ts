import type { Endpoint, NamedEndpoint } from '../contracts/catalog.ts'
import type { Provider } from '../contracts/provider.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { invalidRequest } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { loggableMessage } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'
import { ProviderMistake } from '../provider-kit/provider-mistake.ts'

/** The dialect that a provider speaks with this endpoint, if it says so. */
export function dialectOf(provider: Pick<Provider, 'id' | 'dialect' | 'dialectOf'>, endpoint: NamedEndpoint): string | undefined {
  if (!provider.dialectOf) return provider.dialect
  try {
    return provider.dialectOf(endpoint) ?? provider.dialect
  } catch (cause) {
    const problem = `failed in \`dialectOf\` of provider "${provider.id}": ${loggableMessage(cause)}`
    throw new ProviderMistake(problem, { cause, isUnsent: true })
  }
}

/** The endpoints that speak the dialect of members without which the answer would be another one. Throws a 400 if there are none. */
export function speakingEndpoints(
  endpoints: readonly Endpoint[],
  { extra }: GenerationRequest,
  providers: Registry<Provider>,
): readonly Endpoint[] {
  const [name] = extra?.needed ?? []
  if (name === undefined) return endpoints
  const speaking = endpoints.filter(endpoint => speaks(endpoint, extra!.dialect, providers))
  if (speaking.length > 0) return speaking
  const { provider, model } = endpoints[0]!
  throw invalidRequest(
    wording`${name} asks for an answer that "${own(provider)}/${model}" cannot give: its API does not have this member.`,
    name,
  )
}

function speaks(endpoint: Endpoint, dialect: string, providers: Registry<Provider>): boolean {
  try {
    return dialectOf(providers.get(endpoint.provider)!, endpoint) === dialect
  } catch (mistake) {
    // The attempt reports it.
    if (mistake instanceof ProviderMistake) return true
    throw mistake
  }
}

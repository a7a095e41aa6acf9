import type { Endpoint } from '../contracts/catalog.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import { GatewayError } from '../foundation/errors.ts'

/** Whether the key may use this endpoint. */
export function isPermitted(endpoint: Endpoint, key: ApiKey): boolean {
  return allowsModel(key, endpoint) && allowsProvider(key, endpoint) && allowsPrice(key, endpoint)
}

/** The endpoints that the key may use. If there are none, throws a 403, or a 402 if only an unknown price prevents it. */
export function permitted(endpoints: readonly Endpoint[], key: ApiKey): readonly Endpoint[] {
  const { models, providers } = key
  if (!models && !providers && key.spendCapUsd === undefined) return endpoints
  const byModel = endpoints.filter(endpoint => allowsModel(key, endpoint))
  if (byModel.length === 0)
    throw forbidden(
      'model_not_allowed',
      `This API key may not use the model "${endpoints[0]!.model}". It may use: ${models!.join(', ') || 'none'}.`,
    )
  const byProvider = byModel.filter(endpoint => allowsProvider(key, endpoint))
  if (byProvider.length === 0)
    throw forbidden(
      'provider_not_allowed',
      `This API key may not use the provider "${byModel[0]!.provider}". It may use: ${providers!.join(', ') || 'none'}.`,
    )
  const priced = byProvider.filter(endpoint => allowsPrice(key, endpoint))
  if (priced.length === 0) {
    const message = `This API key has a spend cap, but the price of "${byProvider[0]!.model}" is unknown. Add a price to the catalog, or let the key use unpriced models.`
    throw new GatewayError({ status: 402, type: 'insufficient_credits', code: 'insufficient_credits', message })
  }
  return priced
}

function allowsModel({ models }: ApiKey, { model, provider }: Endpoint): boolean {
  return !models || models.includes(model) || models.includes(`${provider}/${model}`)
}

function allowsProvider({ providers }: ApiKey, { provider }: Endpoint): boolean {
  return !providers || providers.includes(provider)
}

function allowsPrice({ spendCapUsd, allowUnpriced }: ApiKey, { price }: Endpoint): boolean {
  return spendCapUsd === undefined || allowUnpriced === true || price !== undefined
}

function forbidden(code: string, message: string): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_error', code, message, param: 'model' })
}

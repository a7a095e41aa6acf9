import { isObject, parseJson } from '../../../core/index.ts'
import type { ProviderAdapter } from '../../../core/kit.ts'
import { chatAdapter } from '../../../dialects/index.ts'
import { current } from './chat-hosts.ts'

const { failure: failureOfPlatform } = chatAdapter(current)

/** The platform may answer instead of the model, always in the form `{error: {code, message, innererror?}}`. */
export function orOfPlatform(failure: ProviderAdapter['failure']): ProviderAdapter['failure'] {
  return (status, headers, body) => (isOfPlatform(body) ? failureOfPlatform(status, headers, body) : failure(status, headers, body))
}

function isOfPlatform(body: string): boolean {
  const parsed = parseJson(body)
  const error = isObject(parsed) ? parsed['error'] : undefined
  return isObject(error) && typeof error['code'] === 'string'
}

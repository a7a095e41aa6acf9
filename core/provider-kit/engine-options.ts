import { hipaaAgreement, zdrAgreement } from '../validation/agreements.ts'
import { headersOption } from './provider-options.ts'

// Options that every plugin of a search engine has. `apiKey` and `baseUrl` differ, so each plugin defines them itself.

/** The address of the engine's API. */
export function engineBaseUrl<const D extends string>(address: D) {
  return {
    type: 'string',
    format: 'uri',
    pattern: '^https?://',
    default: address,
    description: "The base URL of the engine's API.",
  } as const
}

/** The option `apiKey` of a search engine that needs one. */
export const engineKeyOption = { type: 'string', minLength: 1, writeOnly: true, description: "The engine's API key." } as const

/** Spread these into an engine's options, and pass their values on to `httpEngine`. */
export const engineOptions = {
  headers: headersOption,
  timeoutMs: {
    type: 'integer',
    minimum: 1,
    maximum: 2_147_483_647,
    default: 10_000,
    description: 'How long one search may take, in milliseconds. After that, the next engine is asked.',
  },
  zdr: {
    ...zdrAgreement,
    description: "The engine's zero-data-retention policy. Without it, the engine is not asked for keys with zdr on.",
  },
  hipaa: {
    ...hipaaAgreement,
    description: 'The business associate agreement with the engine. Without it, the engine is not asked for keys in HIPAA mode.',
  },
} as const

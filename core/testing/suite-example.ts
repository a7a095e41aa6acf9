import type { ProviderAdapter, UpstreamHeaders } from '../contracts/adapter.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { FailureKind, ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import { frozen } from './frozen.ts'
import { providerCall } from './provider-call.ts'

/** A request and the vendor's answer, written by hand or taken from the vendor's documentation. */
export interface ProviderExample {
  readonly name: string
  readonly request: Omit<UpstreamRequestBody, 'stream'>
  readonly endpoint?: Partial<Endpoint>
  /** The JSON body that the vendor should receive. */
  readonly sent?: unknown
  /** The whole reply as a stream, and the events it should produce. */
  readonly stream?: { readonly body: string | Uint8Array; readonly events: readonly GenerationEvent[] }
  /** The non-streaming reply, as parsed JSON. */
  readonly reply?: { readonly body: unknown; readonly events: readonly GenerationEvent[] }
  /** The total input and output that the vendor bills. The disjoint counts must add up to it. */
  readonly billed?: { readonly input: number; readonly output: number }
}

/** A vendor's error and its meaning. */
export interface FailureExample {
  readonly status: number
  readonly headers?: UpstreamHeaders
  readonly body: string
  readonly kind: FailureKind
}

/** An error under a success status: inside a stream, in a non-streaming reply, or both. */
export interface InsideFailureExample {
  readonly name: string
  readonly kind: FailureKind
  /** The whole stream, and the events before the error. */
  readonly stream?: { readonly body: string | Uint8Array; readonly events: readonly GenerationEvent[] }
  readonly reply?: { readonly body: unknown }
}

export interface ProviderSuiteOptions {
  readonly adapter: ProviderAdapter
  readonly examples: readonly ProviderExample[]
  readonly failures?: readonly FailureExample[]
  readonly failuresInside?: readonly InsideFailureExample[]
  /** Every key and token in the adapter's options. They must not appear in requests or messages. */
  readonly secrets?: readonly string[]
  readonly credentialId?: string | undefined
  /** A complete unknown frame. Needed only for custom framing. `false` if the dialect cannot have unknown events. */
  readonly unknownFrame?: string | false
}

export interface StreamExample {
  readonly body: Uint8Array
  readonly events: readonly GenerationEvent[]
}

/** Request and endpoint are frozen: writing to them throws. */
export function callFor(
  { credentialId }: ProviderSuiteOptions,
  { request, endpoint = {} }: Pick<ProviderExample, 'request' | 'endpoint'>,
  stream: boolean,
): ProviderCall {
  return providerCall(frozen({ ...request, stream }), { endpoint: frozen(endpoint), credentialId })
}

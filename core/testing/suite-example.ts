import type { ProviderAdapter, UpstreamHeaders } from '../contracts/adapter.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { FailureKind, ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import { frozen } from './frozen.ts'
import { providerCall } from './provider-call.ts'

/** A request and what the vendor answers to it, written by hand or taken from the vendor's documentation. */
export interface ProviderExample {
  readonly name: string
  readonly request: Omit<UpstreamRequestBody, 'stream'>
  readonly endpoint?: Partial<Endpoint>
  /** The JSON body that the vendor is to receive. */
  readonly sent?: unknown
  /** The reply as a stream, to its last byte, and the events it means. */
  readonly stream?: { readonly body: string | Uint8Array; readonly events: readonly GenerationEvent[] }
  /** The reply that does not stream, as parsed JSON. */
  readonly reply?: { readonly body: unknown; readonly events: readonly GenerationEvent[] }
  /** What the vendor bills, all input and all output: the disjoint counts have to add up to it. */
  readonly billed?: { readonly input: number; readonly output: number }
}

/** An error of the vendor's and what it means. */
export interface FailureExample {
  readonly status: number
  readonly headers?: UpstreamHeaders
  readonly body: string
  readonly kind: FailureKind
}

/** An error that comes under a status of success, as a stream, as a reply that does not stream, or as either. */
export interface InsideFailureExample {
  readonly name: string
  readonly kind: FailureKind
  /** To its last byte, and what had been said by then. */
  readonly stream?: { readonly body: string | Uint8Array; readonly events: readonly GenerationEvent[] }
  readonly reply?: { readonly body: unknown }
}

export interface ProviderSuiteOptions {
  readonly adapter: ProviderAdapter
  readonly examples: readonly ProviderExample[]
  readonly failures?: readonly FailureExample[]
  readonly failuresInside?: readonly InsideFailureExample[]
  /** Every key and token in the adapter's options. */
  readonly secrets?: readonly string[]
  readonly credentialId?: string | undefined
  /** A whole frame that the dialect does not know. Needed only where the framing is the adapter's own, or the dialect has no unknown events (`false`). */
  readonly unknownFrame?: string | false
}

export interface StreamExample {
  readonly body: Uint8Array
  readonly events: readonly GenerationEvent[]
}

/** Request and endpoint are frozen: whoever writes on them throws. */
export function callFor(
  { credentialId }: ProviderSuiteOptions,
  { request, endpoint = {} }: Pick<ProviderExample, 'request' | 'endpoint'>,
  stream: boolean,
): ProviderCall {
  return providerCall(frozen({ ...request, stream }), { endpoint: frozen(endpoint), credentialId })
}

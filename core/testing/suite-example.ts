import type { ProviderAdapter, UpstreamHeaders } from '../contracts/adapter.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { FailureKind, ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import { frozen } from './frozen.ts'
import { providerCall } from './provider-call.ts'

/** A request and the vendor's answer, written by hand or taken from the vendor's documentation. */
export interface ProviderExample {
  /** Begins the names of its tests. */
  readonly name: string
  /** Sent with `stream` true and false. Frozen. */
  readonly request: Omit<UpstreamRequestBody, 'stream'>
  /** Missing members are those of one without known capabilities. */
  readonly endpoint?: Partial<Endpoint>
  /** The JSON body that the vendor should receive. */
  readonly sent?: unknown
  /** The whole reply as a stream, and the events it should produce. */
  readonly stream?: {
    /** The bytes of the vendor's stream. */
    readonly body: string | Uint8Array
    /** All of them, compared deeply. */
    readonly events: readonly GenerationEvent[]
  }
  /** The non-streaming reply, as parsed JSON. */
  readonly reply?: {
    /** The suite adds unknown members to it. */
    readonly body: unknown
    /** All of them, compared deeply. */
    readonly events: readonly GenerationEvent[]
  }
  /** The total input and output that the vendor bills. The disjoint counts must add up to it. */
  readonly billed?: {
    /** Tokens, with cache reads and writes. */
    readonly input: number
    /** Tokens, with reasoning. */
    readonly output: number
  }
}

/** A vendor's error and its meaning. */
export interface FailureExample {
  /** The HTTP status. */
  readonly status: number
  /** By name in lower case. Default: none. */
  readonly headers?: UpstreamHeaders
  /** As the vendor sends it, often JSON. */
  readonly body: string
  /** That of the failure which the adapter must return. */
  readonly kind: FailureKind
}

/** An error under a success status: inside a stream, in a non-streaming reply, or both. */
export interface InsideFailureExample {
  /** Begins the name of its test. */
  readonly name: string
  /** That of the failure. */
  readonly kind: FailureKind
  /** The whole stream, and the events before the error. */
  readonly stream?: {
    /** The bytes of the vendor's stream. */
    readonly body: string | Uint8Array
    /** Yielded before the failure. */
    readonly events: readonly GenerationEvent[]
  }
  /** The non-streaming reply. */
  readonly reply?: {
    /** As parsed JSON. */
    readonly body: unknown
  }
}

/** For `providerSuite`. */
export interface ProviderSuiteOptions {
  /** With demo keys in its options. */
  readonly adapter: ProviderAdapter
  /** The first one also serves as the request of failures. */
  readonly examples: readonly ProviderExample[]
  /** The vendor's own errors. Common statuses are always tested. */
  readonly failures?: readonly FailureExample[]
  /** Default: none. */
  readonly failuresInside?: readonly InsideFailureExample[]
  /** Every key and token in the adapter's options. They must not appear in requests or messages. */
  readonly secrets?: readonly string[]
  /** That of the calls. Default: none. */
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

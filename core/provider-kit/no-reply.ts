import type { UpstreamHeaders } from '../contracts/adapter.ts'
import { isSemantic, type GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure, type ProviderCall } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

// Replies that are not answers. `upstream` keeps what came, so the operator can see where the request ended up.

const maxFirstBytes = 64 * 1024

/** Keeps the first bytes of a stream until the first semantic event. */
export class FirstBytes {
  #chunks: Uint8Array[] | undefined = []
  #bytes = 0

  get isAnswer(): boolean {
    return this.#chunks === undefined
  }

  get text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#chunks ?? []))
  }

  add(chunk: Uint8Array): void {
    if (!this.#chunks || this.#bytes >= maxFirstBytes) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
  }

  heard(events: readonly GenerationEvent[]): void {
    if (this.#chunks && events.some(isSemantic)) this.#chunks = undefined
  }
}

/** Turns anything that an adapter throws into a `ProviderFailure`. */
export function failureOf(error: unknown, payload: string | undefined): ProviderFailure {
  const failure = ProviderFailure.is(error) ? error : notAllowed(error)
  if (payload === undefined || failure.kind !== 'protocol' || failure.upstream !== undefined) return failure
  const { message, cause } = failure
  return new ProviderFailure({ ...failure, message, cause, upstream: payload })
}

/** Redirects are not followed, because that would send the credentials to another address. */
export function redirected(
  status: number,
  headers: UpstreamHeaders,
  body: string,
  { endpoint }: Pick<ProviderCall, 'endpoint'>,
): ProviderFailure {
  const message = wording`The provider "${own(endpoint.provider)}" answered with a redirect (status ${own(status)}), which the gateway does not follow. The operator should check the option baseUrl.`
  return new ProviderFailure({ kind: 'protocol', message, status, upstream: body === '' ? `location: ${headers.location ?? ''}` : body })
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const isEmpty = text.trim() === ''
    const message = isEmpty ? wording`The provider sent an empty reply.` : wording`The provider sent a reply that is not JSON.`
    throw new ProviderFailure({ kind: 'protocol', message, transient: isEmpty, upstream: text, cause })
  }
}

function notAllowed(cause: unknown): ProviderFailure {
  return new ProviderFailure({ kind: 'protocol', message: wording`The provider sent something that violates its own protocol.`, cause })
}

import { fakeUpstream, turn, type FakeReply, type FakeUpstream, type ReceivedRequest, type Step } from '../../../../core/testing/index.ts'

// Headers of the recorded connection, not of the reply.
const notServed = /^(connection|content-encoding|content-length|keep-alive|transfer-encoding|date)$/i

export interface Served {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly pieces: readonly Uint8Array[]
}

/** A vendor on a loopback port that answers each provider with the reply it was given. The first part of the path names the provider. */
export class RecordedUpstream {
  readonly #replies = new Map<string, Served[]>()
  #upstream: FakeUpstream | undefined

  async start(): Promise<void> {
    this.#upstream = await fakeUpstream(request => this.#answer(request))
  }

  /** Where this provider finds its vendor. */
  baseUrl(provider: string): string {
    return `${this.#upstream!.url}/${provider}`
  }

  /** The replies to this provider's next requests, in order. */
  prepare(provider: string, ...replies: readonly Served[]): void {
    this.#replies.set(provider, [...replies])
  }

  async close(): Promise<void> {
    await this.#upstream?.close()
  }

  #answer({ url }: ReceivedRequest): FakeReply {
    const reply = this.#replies.get(url.split('/')[1]!)?.shift()
    if (!reply) return { status: 500, body: 'There was no more to be asked for.' }
    const headers = Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !notServed.test(name)))
    return { status: reply.status, headers, body: inTurns(reply.pieces) }
  }
}

/** A turn of the event loop after each piece gives the reader the time to see it alone. */
function inTurns(pieces: readonly Uint8Array[]): Step[] {
  return pieces.flatMap(piece => [piece, turn])
}

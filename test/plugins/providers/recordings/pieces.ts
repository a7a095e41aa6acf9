import { Readable } from 'node:stream'
import { providerCall } from '../../../../core/testing/index.ts'
import type { GenerationEvent, PluginUse, Provider, ProviderCall } from '../../../../core/index.ts'
import type { UpstreamReply } from '../../../../core/kit.ts'
import { providerOf } from '../../../kit/provider-of.ts'
import type { RecordedReply } from '../../../kit/recordings.ts'

/** The events that a provider made of a reply, and the failure that ended them, if any. */
export interface Decoded {
  readonly events: readonly GenerationEvent[]
  readonly failure: { readonly kind: unknown; readonly code: unknown; readonly message: string } | undefined
}

/** A provider whose replies arrive in exactly these pieces, without a socket that might join them again. */
export class PieceDecoder {
  readonly #provider: Promise<Provider>
  readonly #model: string
  #reply: UpstreamReply | undefined

  constructor(use: PluginUse, model = 'any') {
    this.#model = model
    this.#provider = providerOf(use, {
      send: async () => this.#reply!,
      media: () => Promise.reject(new Error('nothing is fetched here')),
      close: async () => {},
    })
  }

  async decode(status: number, headers: RecordedReply['headers'], pieces: readonly Uint8Array[], stream: boolean): Promise<Decoded> {
    const provider = await this.#provider
    this.#reply = { status, headers, body: Readable.from(pieces) }
    const events: GenerationEvent[] = []
    try {
      for await (const event of provider.generate(callFor(provider, this.#model, stream))) events.push(...[event].flat())
      return { events, failure: undefined }
    } catch (error) {
      const { kind, code, message } = error as { kind?: unknown; code?: unknown; message: string }
      return { events, failure: { kind, code, message } }
    }
  }
}

/** The length of each piece, or the lengths of all. The rest is the last piece. */
export type Lengths = number | readonly number[]

export function cutUp(body: Uint8Array, lengths: Lengths): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let from = 0, index = 0; from < body.byteLength; index++) {
    const length = typeof lengths === 'number' ? lengths : (lengths[index] ?? body.byteLength)
    if (length > 0) pieces.push(body.subarray(from, from + length))
    from += length
  }
  return pieces
}

function callFor(provider: Provider, model: string, stream: boolean): ProviderCall {
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }] as const
  return providerCall({ model, stream, input }, { endpoint: { provider: provider.id }, credentialId: provider.credentials?.[0]?.id })
}

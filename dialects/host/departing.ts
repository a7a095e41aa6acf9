import {
  frameJson,
  type Decoder,
  type EmbeddingDialect,
  type Emit,
  type ProviderAdapter,
  type RerankDialect,
  type UpstreamRequest,
} from '../../core/kit.ts'
import type { Anatomy } from './anatomy.ts'
import type { Departures } from './departures.ts'
import { ReplyReader } from './reply-reader.ts'
import { ErrorReader } from './told-error.ts'

/** The departures of hosts that end a stream in their own way, too. */
interface Departed extends Departures {
  readonly endFrame?: string
}

type Sending = (request: UpstreamRequest) => UpstreamRequest

/** The adapter of a dialect as a host speaks it. What the host's table leaves out costs nothing. */
export function departing(adapter: ProviderAdapter, departures: Departed, anatomy: Anatomy): ProviderAdapter {
  const { framing = adapter.framing, errors, headers, endFrame } = departures
  const errorReader = errors && new ErrorReader(errors)
  const reader = readsReplies(departures) ? new ReplyReader(departures, anatomy, errorReader) : undefined
  const sending: Sending | undefined = headers && (request => ({ ...request, headers: { ...request.headers, ...headers } }))
  return {
    ...adapter,
    framing,
    prepare: sending ? call => sending(adapter.prepare(call)) : adapter.prepare,
    embeddings: sending && adapter.embeddings ? sentBy(adapter.embeddings, sending) : adapter.embeddings,
    reranking: sending && adapter.reranking ? sentBy(adapter.reranking, sending) : adapter.reranking,
    decoder: reader ? call => new HostDecoder(adapter.decoder(call), reader, endFrame) : adapter.decoder,
    reply: reader
      ? (body, emit, call) => adapter.reply(reader.read(body, () => JSON.stringify(body))?.body ?? {}, emit, call)
      : adapter.reply,
    failure: errorReader ? errorReader.reading(adapter.failure) : adapter.failure,
  }
}

function readsReplies({ wrapped, finishReasons, usage, errors = {}, changeReply, endFrame }: Departed): boolean {
  const readsErrors = Object.keys(errors).some(name => name !== 'statuses' && name !== 'retryAfterHeader')
  return readsErrors || [wrapped, finishReasons, usage, changeReply, endFrame].some(each => each !== undefined)
}

function sentBy<D extends EmbeddingDialect | RerankDialect>(dialect: D, sending: Sending): D {
  return { ...dialect, prepare: (call: never) => sending(dialect.prepare(call)) } as D
}

/** Gives the dialect's decoder what the host's events mean. */
class HostDecoder implements Decoder {
  readonly #decoder: Decoder
  readonly #reader: ReplyReader
  readonly #endFrame: string | undefined

  constructor(decoder: Decoder, reader: ReplyReader, endFrame: string | undefined) {
    this.#decoder = decoder
    this.#reader = reader
    this.#endFrame = endFrame
  }

  frame(data: string, event: string | undefined, emit: Emit): void {
    if (data === this.#endFrame) return this.#decoder.frame('[DONE]', undefined, emit)
    if (data === '[DONE]' || data === '') return this.#decoder.frame(data, event, emit)
    const read = this.#reader.read(frameJson(data), () => data)
    if (read) this.#decoder.frame(read.isChanged ? JSON.stringify(read.body) : data, event, emit)
  }

  get isComplete(): boolean {
    return this.#decoder.isComplete ?? false
  }

  end(emit: Emit): void {
    this.#decoder.end?.(emit)
  }
}

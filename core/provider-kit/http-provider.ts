import type { HttpClient, UpstreamReply } from '../contracts/http-client.ts'
import type { Emit, Framer, ProviderAdapter, UpstreamRequest } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { Credential, Provider, ProviderCall, ProviderFailure, Timeouts } from '../contracts/provider.ts'
import { cutShort } from '../upstream/provider-failures.ts'
import { networkFailure } from '../upstream/http-client.ts'
import { LastCall } from './last-call.ts'
import { InlineMedia } from '../upstream/media/inline-media.ts'
import { failureOf, Opening, parsed, redirected } from './no-reply.ts'
import { readReply } from '../upstream/reply-text.ts'
import { discard, readRest } from '../upstream/rest-of-body.ts'
import { jsonLinesFramer, sseFramer } from '../upstream/sse.ts'
import { Unsaid } from './unsaid.ts'

export interface HttpProviderOptions {
  readonly credentials?: readonly Credential[] | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Sent with every request. They override the adapter's headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const maximumReplyBytes = 64 * 1024 * 1024
const maximumErrorBytes = 256 * 1024

/** Turns an adapter into a provider: core does the I/O, the adapter translates. */
export function httpProvider(id: string, adapter: ProviderAdapter, http: HttpClient, options: HttpProviderOptions = {}): Provider {
  const extra = lowerCased(options.headers)
  return {
    id,
    ...(options.credentials && { credentials: options.credentials }),
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(adapter.capabilities && { capabilities: adapter.capabilities }),
    ...(adapter.enforces && { enforces: adapter.enforces.bind(adapter) }),
    generate(call) {
      const begin = (): Promise<UpstreamReply> => send(adapter, call, http, extra, options.timeouts?.connectMs)
      return call.request.stream ? streamed(adapter, call, begin) : whole(adapter, call, begin)
    },
  }
}

async function send(
  adapter: ProviderAdapter,
  call: ProviderCall,
  http: HttpClient,
  extra: Readonly<Record<string, string>> | undefined,
  connectTimeoutMs: number | undefined,
): Promise<UpstreamReply> {
  const media = adapter.media && (await InlineMedia.fetch(call, adapter.media, http))
  if (!media) return await sendPrepared(adapter, adapter.prepare(call), call, http, extra, connectTimeoutMs)
  try {
    return await sendPrepared(adapter, media.request(adapter), call, http, extra, connectTimeoutMs)
  } finally {
    media.release()
  }
}

async function sendPrepared(
  adapter: ProviderAdapter,
  prepared: UpstreamRequest,
  call: ProviderCall,
  http: HttpClient,
  extra: Readonly<Record<string, string>> | undefined,
  connectTimeoutMs: number | undefined,
): Promise<UpstreamReply> {
  const withHeaders = extra ? { ...prepared, headers: { ...prepared.headers, ...extra } } : prepared
  const request = adapter.authorize ? await adapter.authorize(withHeaders, call.credentialId, call.signal) : withHeaders
  const reply = await http.send(request, { signal: call.signal, connectTimeoutMs })
  if (reply.status < 300) return reply
  const text = await readReply(reply, call.signal, maximumErrorBytes, 'cut')
  throw reply.status < 400 ? redirected(reply, text, call) : adapter.failure(reply.status, reply.headers, text)
}

async function* streamed(
  adapter: ProviderAdapter,
  call: ProviderCall,
  begin: () => Promise<UpstreamReply>,
): AsyncGenerator<readonly GenerationEvent[]> {
  const { body } = await begin()
  const framer = framerFor(adapter)
  const decoder = adapter.decoder(call)
  const opening = new Opening()
  const unsaid = new Unsaid(call)
  let decoded: GenerationEvent[] = []
  let isFinished = false
  let isCounted = false
  const emit: Emit = event => {
    if (event.type === 'usage') isCounted = true
    else if (event.type === 'finish') isFinished = true
    else if (isFinished) return
    decoded.push(event)
  }
  const push = (data: string, event?: string): void => {
    if (isFinished && isCounted) return
    const before = decoded.length
    decoder.frame(data, event, emit)
    unsaid.frame(data.length, decoded.length === before)
  }
  const lastCall = new LastCall(body)
  let failure: unknown
  try {
    try {
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        opening.add(chunk)
        // Deliver the events of earlier frames before the failure of a later one.
        failure = attempt(() => {
          unsaid.chunk(chunk.byteLength)
          framer.feed(chunk, push)
          unsaid.tell()
        })
        opening.heard(decoded)
        if (decoded.length > 0) {
          yield decoded
          decoded = []
        }
        if (failure || (isFinished && isCounted)) break
        if (isFinished || decoder.isComplete) lastCall.start()
      }
    } catch (error) {
      if (!lastCall.isOver) throw error
    }
    if (!failure && !(isFinished && isCounted))
      failure = attempt(() => {
        if (!lastCall.isOver) framer.end?.(push)
        decoder.end?.(emit)
        opening.heard(decoded)
        if (!opening.isAnswer) answerInstead(adapter, call, opening.text, emit)
      })
    if (decoded.length > 0) yield decoded
    if (failure) throw failureOf(failure, opening.isAnswer ? undefined : opening.text)
  } catch (error) {
    throw networkFailure(error, call.signal)
  } finally {
    lastCall.cancel()
    if (isFinished && !failure) readRest(body)
    else discard(body)
  }
}

async function* whole(
  adapter: ProviderAdapter,
  call: ProviderCall,
  begin: () => Promise<UpstreamReply>,
): AsyncGenerator<readonly GenerationEvent[]> {
  const decoded: GenerationEvent[] = []
  const failure = await readWhole(adapter, call, await begin(), decoded)
  // The bytes are no longer held. From here on, the events count.
  call.holds?.(0)
  if (decoded.length > 0) yield decoded
  if (failure) throw failure
}

async function readWhole(
  adapter: ProviderAdapter,
  call: ProviderCall,
  reply: UpstreamReply,
  decoded: GenerationEvent[],
): Promise<ProviderFailure | undefined> {
  const text = await readReply(reply, call.signal, maximumReplyBytes, 'refuse', call.holds?.bind(call))
  const failure = attempt(() => replied(adapter, call, text, decoded))
  return failure === undefined ? undefined : failureOf(failure, text)
}

/** No events arrived. Servers that do not stream send a whole reply, or an error with a success status. */
function answerInstead(adapter: ProviderAdapter, call: ProviderCall, text: string, emit: Emit): void {
  if (adapter.framing !== 'sse' || !text.trimStart().startsWith('{')) throw cutShort(call.endpoint.provider, text)
  const decoded: GenerationEvent[] = []
  replied(adapter, call, text, decoded)
  for (const event of decoded) emit(event)
}

function replied(adapter: ProviderAdapter, call: ProviderCall, text: string, decoded: GenerationEvent[]): void {
  adapter.reply(parsed(text), event => void decoded.push(event), call)
  if (!decoded.some(({ type }) => type === 'finish')) throw cutShort(call.endpoint.provider, text)
}

function framerFor({ framing }: ProviderAdapter): Framer {
  if (framing === 'sse') return sseFramer()
  return framing === 'json-lines' ? jsonLinesFramer() : framing()
}

function attempt(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

function lowerCased(headers: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

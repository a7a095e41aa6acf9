import type { Emit, Framer, ProviderAdapter } from '../contracts/adapter.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import type { Credential, Provider, ProviderCall, Timeouts } from '../contracts/provider.ts'
import { cutShort } from './cut-short.ts'
import { networkFailure, type HttpClient, type UpstreamReply } from './http-client.ts'
import { aboutAsked } from './media/about-asked.ts'
import { withMediaInline } from './media/inline-media.ts'
import { failureOf, Opening, parsed, redirected } from './no-reply.ts'
import { readReply } from './reply-text.ts'
import { jsonLinesFramer, sseFramer } from './sse.ts'

export interface HttpProviderOptions {
  readonly credentials?: readonly Credential[] | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Sent with every request, after the adapter's own; an equal name wins. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

const maximumReplyBytes = 64 * 1024 * 1024
const maximumErrorBytes = 256 * 1024

/** Makes a provider of a dialect: core does the I/O, the adapter translates. */
export function httpProvider(id: string, adapter: ProviderAdapter, http: HttpClient, options: HttpProviderOptions = {}): Provider {
  const extra = lowerCased(options.headers)
  return {
    id,
    ...(options.credentials && { credentials: options.credentials }),
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(adapter.dialect && { dialect: adapter.dialect }),
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
  const complete = adapter.media ? await withMediaInline(call, adapter.media, http) : call
  const prepared = aboutAsked(call, complete, each => adapter.prepare(each))
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
  const reply = await begin()
  const framer = framerFor(adapter)
  const decoder = adapter.decoder(call)
  const opening = new Opening()
  let decoded: GenerationEvent[] = []
  const emit: Emit = event => void decoded.push(event)
  const push = (data: string, event?: string): void => decoder.frame(data, event, emit)
  let failure: unknown
  try {
    for await (const chunk of reply.body) {
      opening.add(chunk)
      // What a frame said before a later one failed was said: it is delivered before the failure.
      failure = attempt(() => framer.feed(chunk, push))
      opening.heard(decoded)
      if (decoded.length > 0) {
        yield decoded
        decoded = []
      }
      if (failure) break
    }
    failure ??= attempt(() => {
      framer.end?.(push)
      decoder.end?.(emit)
      opening.heard(decoded)
      if (!opening.isAnswer) answerInstead(adapter, call, opening.text, emit)
    })
    if (decoded.length > 0) yield decoded
    if (failure) throw failureOf(failure, opening.isAnswer ? undefined : opening.text)
  } catch (error) {
    throw networkFailure(error, call.signal)
  } finally {
    discard(reply)
  }
}

async function* whole(
  adapter: ProviderAdapter,
  call: ProviderCall,
  begin: () => Promise<UpstreamReply>,
): AsyncGenerator<readonly GenerationEvent[]> {
  const text = await readReply(await begin(), call.signal, maximumReplyBytes)
  const decoded: GenerationEvent[] = []
  const failure = attempt(() => replied(adapter, call, text, decoded))
  if (decoded.length > 0) yield decoded
  if (failure) throw failureOf(failure, text)
}

/** No event came. A server that does not stream sends a whole reply, or an error under a status of success. */
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

function discard(reply: UpstreamReply): void {
  // An error event with nobody listening would end the process.
  reply.body.on('error', () => {})
  reply.body.destroy()
}

function lowerCased(headers: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

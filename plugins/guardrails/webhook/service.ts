import { PluginError, ProviderFailure, type Clock, type RunContext } from '../../../core/index.ts'
import { WebhookSigner, type HttpClient, type UpstreamReply } from '../../../core/kit.ts'
import { verdictIn, type Verdict } from './verdict.ts'

export interface ServiceOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly secret?: string | undefined
  readonly timeoutMs: number
  readonly maxReplyBytes: number
}

export interface Question {
  readonly event: 'input' | 'decision' | 'output'
  /** As the caller wrote it. */
  readonly model: string
  readonly texts: readonly AskedText[]
  /** Places of images and files, which are not sent. */
  readonly unreadable: readonly string[]
}

export interface AskedText {
  /** The id that replacements refer to. Several texts may come from one place. */
  readonly id: number
  /** Such as `input[0].content[1].text`. */
  readonly place: string
  readonly role: string | null
  /** True for a name, an address or an id, which cannot be replaced. */
  readonly fixed: boolean
  readonly text: string
}

/** The operator's service. Every failure is a `PluginError` that names neither its address nor a secret. */
export class Service {
  readonly #plugin: string
  readonly #http: HttpClient
  readonly #clock: Clock
  readonly #options: ServiceOptions
  readonly #signer: WebhookSigner | undefined

  constructor(plugin: string, http: HttpClient, clock: Clock, options: ServiceOptions) {
    this.#plugin = plugin
    this.#http = http
    this.#clock = clock
    this.#options = options
    this.#signer = options.secret === undefined ? undefined : new WebhookSigner(options.secret)
  }

  /** `count`: the number of earlier questions about this request. */
  async ask(question: Question, context: RunContext, count: number): Promise<Verdict> {
    const { key } = context.caller
    const body = JSON.stringify({
      version: 1,
      event: question.event,
      request_id: context.id,
      key: { id: key.id, org: key.org, team: key.team ?? null, user: key.user ?? null },
      model: question.model,
      texts: question.texts,
      unreadable: question.unreadable,
    })
    const timeout = AbortSignal.timeout(this.#options.timeoutMs)
    const signal = AbortSignal.any([context.signal, timeout])
    try {
      return verdictIn(await this.#read(await this.#post(`${context.id}.${count}`, body, signal)))
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason
      throw this.#failure(timeout.aborted ? `gave no verdict within ${this.#options.timeoutMs} ms` : problemOf(error))
    }
  }

  /** Does not follow redirects. A connection that breaks before the reply is tried once more: the service may just have closed it. */
  async #post(id: string, body: string, signal: AbortSignal): Promise<UpstreamReply> {
    const { url } = this.#options
    const headers = this.#headers(id, body)
    const send = (): Promise<UpstreamReply> => this.#http.send({ method: 'POST', url, headers, body }, { signal })
    const reply = await send().catch((error: unknown) => {
      if (signal.aborted || !ProviderFailure.is(error) || error.kind !== 'network') throw error
      return send()
    })
    if (reply.status === 200) return reply
    reply.body.on('error', () => {}).destroy()
    throw new Error(`answered with status ${reply.status} instead of 200`)
  }

  #headers(id: string, body: string): Record<string, string> {
    const seconds = Math.floor(this.#clock.now() / 1000)
    return {
      ...this.#options.headers,
      'content-type': 'application/json',
      accept: 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      ...(this.#signer && { 'webhook-signature': this.#signer.sign(id, seconds, body) }),
    }
  }

  async #read({ body }: UpstreamReply): Promise<Uint8Array> {
    const { maxReplyBytes } = this.#options
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      // Leaving the loop ends the connection.
      if (bytes > maxReplyBytes) throw new Error(`sent a reply of more than ${maxReplyBytes} bytes (option maxReplyBytes)`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  #failure(problem: string): PluginError {
    return new PluginError(this.#plugin, `cannot use its service: it ${problem}`)
  }
}

/** A network failure may name the address, whose path may be a secret. */
function problemOf(error: unknown): string {
  if (!ProviderFailure.is(error)) return error instanceof Error && !('code' in error) ? error.message : 'broke off the connection'
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  return `cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`
}

import type { ProviderAdapter, UpstreamHeaders, UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient, ReplyReceiver, Transfer } from '../contracts/http-client.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import type { RetrievalCall } from '../contracts/retrieval.ts'
import { exchange } from '../upstream/stream-transfer.ts'
import { replyTooLarge, ReplyText } from '../upstream/reply-text.ts'
import type { HttpService } from './http-feed.ts'
import { failureOf, redirected } from './no-reply.ts'
import { withOwnHeaders } from './own-headers.ts'
import { ReplyScanner } from './reply-scanner.ts'
import { checkRequest, requestMistake } from './request-mistake.ts'
import { identified } from './vendor-ids.ts'
import { wording } from '../foundation/wording.ts'

const maxBytes = 64 * 1024 * 1024
const maxErrorBytes = 256 * 1024

/** Sends one request whose reply comes whole, and returns the adapter's reading of it. Throws `ProviderFailure`. */
export async function httpCall<Reply>(
  { adapter, http, headers, connectTimeoutMs }: HttpService,
  call: RetrievalCall<unknown>,
  prepared: UpstreamRequest,
  read: (body: unknown, headers: UpstreamHeaders) => Reply,
): Promise<Reply> {
  checkRequest(prepared, 'prepare')
  const request = withOwnHeaders(prepared, headers, call.traceparent)
  const authorized = adapter.authorize ? await adapter.authorize(request, call.credentialId, call.signal) : request
  checkRequest(authorized, 'authorize')
  const { scanner, headers: received } = await answered(adapter, http, authorized, request, call, connectTimeoutMs)
  try {
    return read(parsedBy(scanner), received)
  } catch (error) {
    throw identified(failureOf(error, scanner.opening), received)
  }
}

interface Answer {
  readonly scanner: ReplyScanner
  readonly headers: UpstreamHeaders
}

function answered(
  adapter: ProviderAdapter,
  http: HttpClient,
  request: UpstreamRequest,
  prepared: UpstreamRequest,
  call: RetrievalCall<unknown>,
  connectTimeoutMs: number | undefined,
): Promise<Answer> {
  const { signal } = call
  return new Promise((resolve, reject) => {
    const reply = new WholeReply(adapter, call, resolve, error => reject(error as Error))
    if (signal.aborted) return reject(signal.reason as Error)
    let transfer: Transfer
    const stop = (): void => {
      transfer?.stop()
      reject(signal.reason as Error)
    }
    try {
      transfer = exchange(http, request, reply, { signal, connectTimeoutMs })
      reply.begin(transfer)
    } catch (error) {
      return reject((requestMistake(request, prepared) ?? error) as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    reply.onEnd = () => signal.removeEventListener('abort', stop)
  })
}

interface ErrorReply {
  readonly status: number
  readonly headers: UpstreamHeaders
  readonly text: ReplyText
}

class WholeReply implements ReplyReceiver {
  onEnd: (() => void) | undefined
  readonly #adapter: ProviderAdapter
  readonly #call: RetrievalCall<unknown>
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void
  readonly #scanner = new ReplyScanner()
  #error: ErrorReply | undefined
  #headers: UpstreamHeaders = {}
  #transfer: Transfer | undefined

  constructor(adapter: ProviderAdapter, call: RetrievalCall<unknown>, resolve: (answer: Answer) => void, reject: (error: unknown) => void) {
    this.#adapter = adapter
    this.#call = call
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(transfer: Transfer): void {
    this.#transfer = transfer
  }

  head(status: number, headers: UpstreamHeaders): void {
    this.#headers = headers
    if (status >= 300) this.#error = { status, headers, text: new ReplyText() }
  }

  chunk(bytes: Uint8Array): void {
    try {
      if (this.#error) {
        this.#error.text.add(bytes)
        if (this.#error.text.bytes > maxErrorBytes) this.#refuse(this.#failure(this.#error))
        return
      }
      this.#scanner.add(bytes)
      this.#call.holds?.(this.#scanner.bytes)
      if (this.#scanner.bytes > maxBytes) this.#refuse(replyTooLarge(maxBytes))
    } catch (error) {
      this.#refuse(failureOf(error, undefined))
    }
  }

  end(): void {
    this.onEnd?.()
    if (this.#error) this.#reject(identified(this.#failure(this.#error), this.#headers))
    else this.#resolve({ scanner: this.#scanner, headers: this.#headers })
  }

  fail(error: unknown): void {
    this.onEnd?.()
    this.#reject(identified(error, this.#headers))
  }

  #refuse(error: unknown): void {
    this.#transfer?.stop()
    this.fail(error)
  }

  #failure({ status, headers, text }: ErrorReply): unknown {
    const body = text.take()
    if (status < 400) return redirected(status, headers, body, this.#call)
    try {
      return this.#adapter.failure(status, headers, body)
    } catch (error) {
      return error
    }
  }
}

function parsedBy(scanner: ReplyScanner): unknown {
  try {
    return scanner.end()
  } catch (cause) {
    const isEmpty = scanner.opening.trim() === ''
    const message = isEmpty ? wording`The provider sent an empty reply.` : wording`The provider sent a reply that is not JSON.`
    throw new ProviderFailure({ kind: 'protocol', message, transient: isEmpty, upstream: scanner.opening, cause })
  }
}

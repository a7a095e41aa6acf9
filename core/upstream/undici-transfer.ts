import type { Transform } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { UpstreamHeaders } from '../contracts/adapter.ts'
import type { ReplyReceiver, Transfer } from '../contracts/http-client.ts'
import { decoderFor } from './content-encoding.ts'
import { connectionFailure } from './network-failure.ts'

/** Passes a reply from undici to its receiver. */
export class UndiciTransfer implements Dispatcher.DispatchHandler, Transfer {
  /** Cleared when the transfer is over: undici keeps handlers for a while, and must not keep the whole request with them. */
  #receiver: ReplyReceiver | undefined
  #controller: Dispatcher.DispatchController | undefined
  #decoder: Transform | undefined
  #isPaused = false

  constructor(receiver: ReplyReceiver) {
    this.#receiver = receiver
  }

  pause(): void {
    this.#isPaused = true
    if (this.#decoder) this.#decoder.pause()
    else this.#controller?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.#decoder) this.#decoder.resume()
    else this.#controller?.resume()
  }

  stop(): void {
    if (!this.#receiver) return
    this.#receiver = undefined
    this.#decoder?.destroy()
    this.#controller?.abort(stopped)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Stopped before there was a connection. The receiver has left already.
    if (!this.#receiver) return controller.abort(stopped)
    this.#controller = controller
    if (this.#isPaused) controller.pause()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, received: object): void {
    if (status < 200) return
    const headers = received as UpstreamHeaders
    this.#decoder = decoderFor(headers['content-encoding'])
    if (this.#decoder) this.#decode(this.#decoder, controller)
    this.#receiver?.head(status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#decoder) this.#receiver?.chunk(chunk)
    else if (!this.#decoder.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#decoder) this.#decoder.end()
    else this.#end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    const receiver = this.#receiver
    this.#decoder?.destroy()
    this.#leave()
    receiver?.fail(connectionFailure(error))
  }

  #decode(decoder: Transform, controller: Dispatcher.DispatchController): void {
    decoder.on('data', (chunk: Buffer) => this.#receiver?.chunk(chunk))
    decoder.on('drain', () => controller.resume())
    decoder.on('end', () => this.#end())
    decoder.on('error', error => {
      this.onResponseError(undefined, error)
      controller.abort(error)
    })
    if (this.#isPaused) decoder.pause()
  }

  #end(): void {
    const receiver = this.#receiver
    this.#leave()
    receiver?.end()
  }

  #leave(): void {
    this.#receiver = undefined
    this.#controller = undefined
  }
}

/** Nobody sees it: the receiver has left. */
const stopped = new Error('the exchange was stopped')

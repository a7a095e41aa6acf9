import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'
import { nextCall } from './callers.ts'

const pauseMs = 100

/**
 * A client over WebSocket that asks one thing after the other. When it is told to, it connects again at once, and asks again for what was
 * refused before it began.
 */
export class SocketCaller {
  readonly ids: string[] = []
  readonly failures: string[] = []
  answered = 0
  /** How often it was told to connect again. */
  reconnected = 0
  readonly #url: string
  readonly #key: string
  readonly #done: Promise<void>
  #isStopping = false

  constructor(url: string, key: string) {
    this.#url = `${url.replace('http', 'ws')}/v1/responses`
    this.#key = key
    this.#done = this.#work()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#done
  }

  async #work(): Promise<void> {
    let call = nextCall(3, 20)
    this.ids.push(call.id)
    while (!this.#isStopping) {
      try {
        const socket = new WebSocket(this.#url, { headers: { authorization: `Bearer ${this.#key}` } })
        const messages = reading(socket)
        await once(socket, 'open')
        while (!this.#isStopping && socket.readyState === WebSocket.OPEN) {
          const outcome = await ask(socket, messages, call.input)
          if (outcome === 'connect again') break
          this.answered++
          call = nextCall(3, 20)
          this.ids.push(call.id)
          await Promise.race([sleep(pauseMs), messages.closed])
        }
        if (this.#isStopping) socket.close()
        const code = await messages.closed
        if (this.#isStopping) break
        if (code !== 1001) throw new Error(`close code ${code}`)
        this.reconnected++
      } catch (error) {
        this.failures.push(`${call.id}: ${(error as Error).message}`)
        call = nextCall(3, 20)
        this.ids.push(call.id)
        await sleep(pauseMs)
      }
    }
    // The last one was not asked.
    this.ids.pop()
  }
}

interface Messages {
  /** Undefined once the connection is closed. */
  next(): Promise<{ readonly type: string; readonly error?: { readonly code?: string } } | undefined>
  readonly closed: Promise<number>
}

function reading(socket: WebSocket): Messages {
  const waiting: { readonly type: string }[] = []
  let wake = (): void => {}
  let isClosed = false
  socket.on('message', data => {
    waiting.push(JSON.parse(String(data)))
    wake()
  })
  const closed = once(socket, 'close').then(([code]) => {
    isClosed = true
    wake()
    return code as number
  })
  closed.catch(() => {})
  return {
    closed,
    async next() {
      for (;;) {
        const message = waiting.shift()
        if (message || isClosed) return message
        await new Promise<void>(resolve => (wake = resolve))
      }
    },
  }
}

async function ask(socket: WebSocket, messages: Messages, input: string): Promise<'answered' | 'connect again'> {
  socket.send(JSON.stringify({ type: 'response.create', model: 'acme/acme-large', input }))
  let hasBegun = false
  for (;;) {
    const message = await messages.next()
    if (message?.type === 'response.completed') return 'answered'
    if (!message && !hasBegun) return 'connect again'
    if (!message) throw new Error('the connection closed in the middle of an answer')
    if (message.type === 'error' && message.error?.code === 'websocket_connection_limit_reached') return 'connect again'
    if (message.type === 'error' || message.type === 'response.failed') throw new Error(JSON.stringify(message))
    hasBegun = true
  }
}

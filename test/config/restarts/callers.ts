import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { isLong } from '../../kit/long.ts'

interface Call {
  readonly isStreamed: boolean
  readonly pieces: number
  readonly betweenMs: number
}

/** In turn. In the long form, the last streams outlast the announcement. */
const calls: readonly Call[] = [
  { isStreamed: false, pieces: 1, betweenMs: 0 },
  { isStreamed: true, pieces: 3, betweenMs: 30 },
  { isStreamed: false, pieces: 1, betweenMs: 0 },
  { isStreamed: true, pieces: 2, betweenMs: 0 },
  { isStreamed: false, pieces: 1, betweenMs: 0 },
  { isStreamed: true, pieces: 8, betweenMs: 250 },
  { isStreamed: false, pieces: 1, betweenMs: 0 },
  { isStreamed: true, pieces: 14, betweenMs: isLong ? 500 : 100 },
]

let lastId = 0

/** The id of a new call, which the vendor counts, and its prompt. */
export function nextCall(pieces: number, betweenMs: number): { readonly id: string; readonly input: string } {
  const id = `call-${++lastId}`
  return { id, input: `${id} ${pieces} ${betweenMs}` }
}

/** Asks a proxy so many times a second, plain and streamed in turn, and never again for the same answer. */
export class Callers {
  readonly ids: string[] = []
  readonly failures: string[] = []
  readonly #url: string
  readonly #key: string
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  readonly #open = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  readonly #beganMs = performance.now()
  #begun = 0

  constructor(url: string, key: string, perSecond: number) {
    this.#url = url
    this.#key = key
    this.#timer = setInterval(() => {
      const due = ((performance.now() - this.#beganMs) / 1000) * perSecond
      while (this.#begun < due) this.#begin()
    }, 5)
  }

  /** How many are not answered yet. */
  get open(): number {
    return this.#open.size
  }

  /** How many were answered as they should be. */
  get answered(): number {
    return this.#begun - this.#open.size - this.failures.length
  }

  /** Asks no more, and waits for all answers. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#open)
    this.#agent.destroy()
  }

  #begin(): void {
    const call = calls[this.#begun++ % calls.length]!
    const { id, input } = nextCall(call.pieces, call.betweenMs)
    this.ids.push(id)
    const beganMs = performance.now()
    const done = this.#ask(call, id, input)
      .catch((error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException
        const afterMs = Math.round(performance.now() - beganMs)
        this.failures.push(`${id} at ${Math.round(beganMs - this.#beganMs)} after ${afterMs} ms: ${code ?? ''} ${message}`)
      })
      .finally(() => this.#open.delete(done))
    this.#open.add(done)
  }

  async #ask({ isStreamed, pieces }: Call, id: string, input: string): Promise<void> {
    const asked = request(`${this.#url}/v1/responses`, {
      method: 'POST',
      // Some clients keep their connections, and others do not.
      agent: this.#begun % 5 === 0 ? false : this.#agent,
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
    })
    asked.end(JSON.stringify({ model: 'acme/acme-large', input, stream: isStreamed }))
    const [reply] = (await once(asked, 'response')) as [IncomingMessage]
    const body = await text(reply)
    if (reply.statusCode !== 200) throw new Error(`status ${reply.statusCode}: ${body.slice(0, 300)}`)
    const said = isStreamed ? [id, ...Array.from({ length: pieces - 1 }, (_, piece) => piece + 1)].join(' ') : id
    const isWhole = isStreamed
      ? /\nevent: response\.completed\n.+\n\n(?:data: \[DONE\]\n\n)?$/.test(body)
      : body.includes('"status":"completed"')
    if (!isWhole || !body.includes(`"text":"${said}"`)) throw new Error(`expected "${said}" to be completed, but got ${body.slice(-1_000)}`)
  }
}

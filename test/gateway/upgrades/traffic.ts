import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../scaling/caller.ts'
import type { Cluster } from '../scaling/cluster.ts'
import type { Replica } from '../scaling/replica.ts'

const loopsOfEach = 3
const pauseMs = 20
const turnsInChain = 8

/** Requests of several kinds, each of which goes to any replica that serves. */
export class Traffic {
  /** Those of the cluster that get requests: a load balancer would know. */
  readonly serving: Set<Replica>
  readonly failures: string[] = []
  readonly counts: Record<string, number> = {}
  #isOver = false
  #loops: readonly Promise<void>[] = []

  constructor(cluster: Cluster) {
    this.serving = new Set(cluster.replicas)
  }

  start(callers: Readonly<Record<'chains' | 'streams' | 'background' | 'conversations', Caller>>): void {
    const kinds = {
      chains: () => this.#chain(callers.chains, {}),
      streams: () => this.#chain(callers.streams, { stream: true }),
      background: () => this.#background(callers.background),
      conversations: () => this.#conversation(callers.conversations),
    }
    this.#loops = Object.entries(kinds).flatMap(([name, once]) => Array.from({ length: loopsOfEach }, () => this.#loop(name, once)))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  async #loop(name: string, once: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await once().catch(error => void this.failures.push(`${name}: ${(error as Error).message}`))
      this.counts[name] = (this.counts[name] ?? 0) + 1
      await sleep(pauseMs)
    }
  }

  get #any(): Replica {
    const all = [...this.serving]
    return all[Math.floor(Math.random() * all.length)]!
  }

  async #chain(caller: Caller, more: object): Promise<void> {
    let previous: string | undefined
    for (let turn = 0; turn < turnsInChain && !this.#isOver; turn++) {
      const reply = await caller.ask(this.#any, { ...more, ...(previous !== undefined && { previous_response_id: previous }) })
      if (reply.status !== 200 || !/completed/.test(reply.text)) throw new Error(`turn ${turn}: ${reply.status} ${reply.text}`)
      previous = reply.id
      const read = await this.#call(caller, 'GET', `/v1/responses/${previous}`)
      if (read.status !== 'completed') throw new Error(`a stored response is ${JSON.stringify(read)}`)
    }
  }

  async #background(caller: Caller): Promise<void> {
    const { id, status, text } = await caller.ask(this.#any, { background: true })
    if (status !== 200) throw new Error(`${status} ${text}`)
    for (;;) {
      const read = await this.#call(caller, 'GET', `/v1/responses/${id}`)
      if (read.status === 'completed') return
      if (read.status !== 'queued' && read.status !== 'in_progress') throw new Error(JSON.stringify(read))
      await sleep(pauseMs)
    }
  }

  async #conversation(caller: Caller): Promise<void> {
    const { id } = await this.#call(caller, 'POST', '/v1/conversations', {})
    for (let turn = 1; turn <= 3; turn++) {
      const reply = await caller.ask(this.#any, { conversation: id })
      if (reply.status !== 200) throw new Error(`turn ${turn}: ${reply.status} ${reply.text}`)
      const items = await this.#call(caller, 'GET', `/v1/conversations/${id}/items`)
      if (items.data?.length !== 2 * turn) throw new Error(`turn ${turn} has ${JSON.stringify(items)}`)
    }
  }

  async #call(caller: Caller, method: string, path: string, body?: object): Promise<any> {
    const reply = await fetch(`${this.#any.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}

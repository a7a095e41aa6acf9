import type { Cluster } from './cluster.ts'
import { ask, type Reply } from './reply.ts'
import type { Replica } from './replica.ts'

/** An API key, and all that was asked with it. */
export class Caller {
  readonly org: string
  readonly key: string
  /** In the order in which they ended. */
  readonly replies: Reply[] = []
  /** The name by which the vendor counts. */
  readonly label: string

  constructor(org: string, label: string, key: string) {
    this.org = org
    this.label = label
    this.key = key
  }

  async ask(replica: Pick<Replica, 'url'>, body: object = {}): Promise<Reply> {
    const reply = await ask(replica, this.key, this.label, body)
    this.replies.push(reply)
    return reply
  }

  /** Sends `count` requests at once, spread evenly over these replicas. */
  async all(replicas: readonly Pick<Replica, 'url'>[], count: number, body: object = {}): Promise<Replies> {
    const asked = Array.from({ length: count }, (_, index) => this.ask(replicas[index % replicas.length]!, body))
    return new Replies(await Promise.all(asked))
  }

  /** The same, and again for those that get a 503, in smaller groups: an exact limit is refused while replicas cannot count together. */
  async firm(cluster: Pick<Cluster, 'replicas' | 'together'>, count: number): Promise<Replies> {
    const replies: Reply[] = []
    for (let size = count; replies.length < count; size = Math.max(1, size >> 1)) {
      const { all } = await this.all(cluster.replicas, Math.min(size, count - replies.length))
      replies.push(...all.filter(({ status }) => status !== 503))
      if (replies.length < count) await cluster.together()
    }
    return new Replies(replies)
  }

  /** Of all that was asked. */
  get served(): number {
    return new Replies(this.replies).of(200)
  }
}

export class Replies {
  readonly all: readonly Reply[]

  constructor(all: readonly Reply[]) {
    this.all = all
  }

  /** How many have this status. */
  of(status: number): number {
    return this.all.filter(reply => reply.status === status).length
  }

  /** Such as `{ 200: 10, 429: 14 }`. */
  get statuses(): Readonly<Record<number, number>> {
    return Object.fromEntries([...new Set(this.all.map(({ status }) => status))].toSorted().map(status => [status, this.of(status)]))
  }

  /** The text of one that has this status, for messages. */
  example(status: number): string {
    return this.all.find(reply => reply.status === status)?.text ?? ''
  }
}

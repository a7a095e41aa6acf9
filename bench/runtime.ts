import { systemClock } from '../core/foundation/clock.ts'
import { Cancellation } from '../core/runtime/cancellation.ts'
import { Deadline } from '../core/runtime/deadline.ts'
import type { EventFeed, EventReceiver } from '../core/runtime/event-feed.ts'
import { appended } from '../core/runtime/growing-text.ts'
import { Inbox } from '../core/runtime/inbox.ts'
import { isPending } from '../core/runtime/pending.ts'
import { RepeatedJson } from '../core/runtime/repeated-json.ts'
import { Roster, type Listed } from '../core/runtime/roster.ts'
import { streamedReply } from './streamed-reply.ts'

// Compares each part of core/runtime with the plain way to do the same. Run it with --expose-gc.

const rounds = 5

/** The CPU time of one call, in microseconds: the best of some rounds. */
async function microseconds(times: number, work: () => unknown): Promise<number> {
  let best = Infinity
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let index = 0; index < times; index++) {
      const result = work()
      if (isPending(result)) await result
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / times)
  }
  return best
}

async function compare(what: string, times: number, plain: () => unknown, ours: () => unknown): Promise<void> {
  tell(what, 'µs', await microseconds(times, plain), await microseconds(times, ours))
}

function tell(what: string, unit: string, plain: number, ours: number): void {
  console.log(
    `${what.padEnd(58)} ${plain.toFixed(2).padStart(10)} ${ours.toFixed(2).padStart(10)} ${unit}  ${(plain / ours).toFixed(1)} times`,
  )
}

const frames = streamedReply('openai-chat', 200)
  .events.map(event => event.replace(/^data: /, '').trim())
  .filter(frame => frame.startsWith('{'))

interface Chunk {
  readonly choices?: readonly { readonly delta?: object }[]
}

class Listened implements EventFeed<object> {
  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    yield* frames.map(frame => ({ frame }))
  }
  deliver(receiver: EventReceiver<object>): void {
    for (const frame of frames) receiver.events([{ frame }])
    receiver.end()
  }
  pause(): void {}
  resume(): void {}
  stop(): void {}
}

/** How many bytes each of 2,000 texts of 500 pieces keeps. */
function kiloBytesOfText(grow: (text: string, piece: { readonly text: string }) => string): number {
  const collect = globalThis.gc!
  collect()
  const before = process.memoryUsage().heapUsed
  const texts = Array.from({ length: 2_000 }, () => {
    let text = ''
    for (let piece = 0; piece < 500; piece++) text = grow(text, { text: ` w${piece % 90}` })
    return text
  })
  collect()
  return (process.memoryUsage().heapUsed - before) / 1024 / texts.length
}

console.log(`${''.padEnd(58)} ${'plain'.padStart(10)} ${'ours'.padStart(10)}`)
await compare(
  'Cancellation: make, listen, abort',
  200_000,
  () => {
    const controller = new AbortController()
    controller.signal.addEventListener('abort', () => {}, { once: true })
    controller.abort('over')
  },
  () => {
    const cancellation = new Cancellation()
    cancellation.onAbort(() => {})
    cancellation.abort('over')
  },
)
await compare(
  'Deadline of a minute: set and end',
  200_000,
  () => clearTimeout(setTimeout(() => {}, 60_000)),
  () => new Deadline(systemClock, 60_000, () => {}).end(),
)
await compare(
  'EventFeed and Inbox: a stream of 200 events',
  2_000,
  async () => {
    for await (const event of new Listened()) if (!event) throw new Error('no event')
  },
  () => {
    const feed = new Listened()
    const inbox = new Inbox(feed)
    feed.deliver(inbox)
    return inbox.flow(event => event !== undefined)
  },
)
await compare(
  'RepeatedJson: a stream of 200 deltas',
  1_000,
  () => frames.forEach(frame => JSON.parse(frame)),
  () => {
    const reader = new RepeatedJson<Chunk>(chunk => chunk?.choices?.[0]?.delta, ['content'])
    frames.forEach(frame => reader.parse(frame))
  },
)
const set = new Set<object>()
const roster = new Roster<Listed>()
for (let index = 0; index < 200; index++) {
  set.add({ place: -1 })
  roster.add({ place: -1 })
}
await compare(
  'Roster of 200: add and remove',
  200_000,
  () => {
    const entry = { place: -1 }
    set.add(entry)
    set.delete(entry)
  },
  () => {
    const entry = { place: -1 }
    roster.add(entry)
    roster.remove(entry)
  },
)
if (globalThis.gc)
  tell(
    'appended: a text of 500 pieces',
    'kB',
    kiloBytesOfText((text, { text: more }) => text + more),
    kiloBytesOfText(appended),
  )

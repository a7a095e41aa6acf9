// One measurement for decoding.ts: a provider reads the same streamed reply again and again, from memory.

import { Providers, type Logger, type Provider } from 'turnpike'
import { providerCall } from 'turnpike/testing'
import { streamedReply, type Wire } from './streamed-reply.ts'
import { wirePlugin } from './wire-plugins.ts'

const [wire, deltas, eventsInChunk] = [process.argv[2] as Wire, Number(process.argv[3]), Number(process.argv[4])]
const warmUpMs = 500
const measuredMs = 1000

const { events } = streamedReply(wire, deltas)
const chunks = Array.from({ length: Math.ceil(events.length / eventsInChunk) }, (_, index) =>
  Buffer.from(events.slice(index * eventsInChunk, (index + 1) * eventsInChunk).join('')),
)
const body = {
  async *[Symbol.asyncIterator]() {
    yield* chunks
  },
  on() {},
  destroy() {},
}

const provider = await registered()
const call = providerCall({ model: 'bench-model', input: [], stream: true } as never)
await run(warmUpMs)
const { ms, replies } = await run(measuredMs)
console.log((ms * 1000) / (replies * deltas))

async function run(forMs: number): Promise<{ readonly ms: number; readonly replies: number }> {
  const before = process.cpuUsage()
  const end = performance.now() + forMs
  let replies = 0
  for (; performance.now() < end; replies++) {
    let texts = 0
    for await (const yielded of provider.generate(call))
      if ('type' in yielded) texts += Number(yielded.type === 'text')
      else for (const { type } of yielded) if (type === 'text') texts++
    if (texts !== deltas) throw new Error(`${wire}: ${texts} texts of ${deltas}`)
  }
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, replies }
}

async function registered(): Promise<Provider> {
  let found: Provider | undefined
  const http = { send: async () => ({ status: 200, headers: {}, body }) }
  const add = (token: unknown, value: unknown): void => {
    if (token === Providers) found = value as Provider
  }
  const { plugin, options } = wirePlugin(wire, 'bench', 'http://127.0.0.1')
  await plugin.setup({ name: plugin.name, add, http, log: {} as Logger } as never, options as never, {} as never)
  return found!
}

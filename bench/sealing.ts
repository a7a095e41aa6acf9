// How long it takes to seal 10 kB of content, with the data key in memory: `node --conditions=turnpike-source bench/sealing.ts`.
import { systemClock } from '../core/foundation/clock.ts'
import { createLogger } from '../core/foundation/logger.ts'
import { Masks } from '../core/foundation/masks.ts'
import { EnvelopeSealer } from '../plugins/sealers/local/envelope.ts'
import { DataKeys } from '../plugins/stores/sql/data-keys.ts'
import { SealedParts } from '../plugins/stores/sql/sealed-parts.ts'
import { openMemory } from '../plugins/stores/sql/sqlite/open.ts'
import { median } from './statistics.ts'

const rounds = 20_000
const mostMicroseconds = 60

const { database } = await openMemory()
const sealer = new EnvelopeSealer({ source: 'bench', current: Buffer.alloc(32, 7) })
const parts = new SealedParts(new DataKeys(database, sealer, systemClock, createLogger('silent', new Masks()), 90))
const place = { owner: 'example/user/ada', id: 'req_1', part: 'content' } as const
const text = 'She said: "The quick brown fox jumps over the lazy dog."\n'
const message = (role: string, sentences: number): object => ({ type: 'message', role, content: text.repeat(sentences) })
const content = { request: { input: [message('user', 70), message('user', 60)] }, response: { output: [message('assistant', 35)] } }
const bytes = JSON.stringify(content).length

const times: number[] = []
for (let run = 0; run < 7; run++) {
  const start = performance.now()
  for (let round = 0; round < rounds; round++) await parts.seal('example', place, content)
  times.push(((performance.now() - start) * 1000) / rounds)
}
await database.destroy()
const typical = median(times)
console.log(
  `${typical.toFixed(1)} µs to seal ${bytes} bytes, at most ${mostMicroseconds} µs: ${typical <= mostMicroseconds ? 'met' : 'MISSED'}`,
)
if (typical > mostMicroseconds) process.exitCode = 1

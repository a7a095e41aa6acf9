// How long counting takes, including the thread's overhead: medians of five. And what the check costs a request that needs no counting.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { GenerationRequest, Logger } from '../core/index.ts'
import { mayExceed } from '../core/tokens/bound.ts'
import { textsOf } from '../core/tokens/input-texts.ts'
import { ThreadedTokenCounter } from '../core/tokens/threaded-token-counter.ts'

const rounds = 5
const say = (message: string): void => console.error(message)
const log: Logger = { debug: say, info: say, warn: say, error: say, child: () => log }
const counter = new ThreadedTokenCounter(log)

/** The same in every run. */
function scattered(length: number, first: number, span: number): string {
  let state = 1
  return Array.from({ length }, () => String.fromCharCode(first + ((state = (state * 48_271) % 2_147_483_647) % span))).join('')
}

const english = ['README.md', 'docs/plugins.md', 'docs/architecture.md']
  .map(name => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
  .join('\n')
const long = english.repeat(Math.ceil(1_048_576 / english.length))

const texts: Readonly<Record<string, string>> = {
  'English, 4 kB': long.slice(0, 4_096),
  'English, 64 kB': long.slice(0, 65_536),
  'English, 1 MB': long.slice(0, 1_048_576),
  '100,000 × "a"': 'a'.repeat(100_000),
  '50,000 spaces': ' '.repeat(50_000),
  'random letters, 64 kB': scattered(65_536, 97, 26),
  'random base64, 64 kB': Buffer.from(scattered(49_152, 0, 256), 'latin1').toString('base64'),
  'random hanzi, 64 kB of UTF-8': scattered(21_845, 0x4e00, 20_000),
  '60,000 random hanzi': scattered(60_000, 0x4e00, 20_000),
}

const rssBefore = process.memoryUsage.rss()
const cold = await timed(() => counter.count(['first'], { deadlineMs: 60_000 }))
report('first count: start of the thread and the vocabulary', cold)
report('its memory, MB', (process.memoryUsage.rss() - rssBefore) / 1e6)
for (let warmUp = 0; warmUp < 3; warmUp++) await counter.count([texts['English, 1 MB']!], { deadlineMs: 60_000 })

for (const [name, text] of Object.entries(texts)) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const times: number[] = []
  let tokens = 0
  for (let round = 0; round < rounds; round++)
    times.push(await timed(async () => void (tokens = (await counter.count([text], { deadlineMs: 60_000 }))!.tokens)))
  delay.disable()
  report(name, median(times), `${tokens} tokens; event loop held up ${(delay.max / 1e6).toFixed(1)} ms at most`)
}

const limited = await timed(() => counter.count([texts['English, 1 MB']!], { limit: 8_192, deadlineMs: 60_000 }))
report('English, 1 MB, stopping at 8,192 tokens', limited)

for (const [name, items, characters] of [
  ['one message of 100 characters', 1, 100],
  ['450 items, 100 kB', 450, 222],
  ['450 items, 900 kB: the bytes are counted', 450, 2_000],
] as const) {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x'.repeat(characters) }] } as const
  const request: GenerationRequest = { model: 'm', input: Array.from({ length: items }, () => message) }
  const times = Array.from({ length: rounds }, () => {
    const begin = performance.now()
    for (let repeat = 0; repeat < 1_000; repeat++) mayExceed(textsOf(request), 1_000_000)
    return performance.now() - begin
  })
  console.log(`check: ${name}`.padEnd(56), `${median(times).toFixed(2)} µs`)
}
await counter.stop()

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}

function report(name: string, value: number, more = ''): void {
  console.log(name.padEnd(56), value.toFixed(1).padStart(7), more)
}

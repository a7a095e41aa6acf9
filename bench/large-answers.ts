// The cost of large streamed answers that are stored and recorded: the longest stall of the event loop, memory, and what becomes of the small
// answers of another owner meanwhile.
// `npm run build && node bench/large-answers.ts`; `--responses memory` stores them in memory, `--folder` measures the build in another folder.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gatewayCommand } from './gateway.ts'
import { freePort, startServer, type ServerProcess } from './server-process.ts'
import type { Stalls } from './stalls-on-message.ts'

const { values } = parseArgs({ options: { responses: { type: 'string', default: 'sql' }, folder: { type: 'string' } } })
const gatewayCore = 1
const maxStallMs = 100
/** More than the process takes without them: `maxLiveAnswerBytes` times four. */
const maxMb = (4 * 256 * 1024 * 1024) / 1e6
const million = 1_000_000
/** The names of the models: `<kind>-<characters>`. */
const kinds = {
  text: text => ({ content: text }),
  accents: text => ({ content: text.replaceAll('e', 'é') }),
  chinese: text => ({ content: '数'.repeat(text.length) }),
  reasoning: text => ({ reasoning_content: text }),
  arguments: text => ({ tool_calls: [{ index: 0, function: { arguments: JSON.stringify(text).slice(1, -1) } }] }),
} as const satisfies Readonly<Record<string, (text: string) => object>>
type Kind = keyof typeof kinds

const sentence = 'She said: "The quick brown fox jumps over the lazy dog."\n'
const pieceCharacters = sentence.length * 18

const vendor = createServer((incoming, reply) => {
  let body = ''
  incoming.setEncoding('utf8').on('data', (part: string) => void (body += part))
  incoming.on('end', () => {
    const [kind, characters] = (JSON.parse(body) as { model: string }).model.split('-') as [Kind, string]
    answer(reply, kind, Number(characters))
  })
})
await once(vendor.listen(0, '127.0.0.1'), 'listening')
const upstream = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`

const port = await freePort()
const settings = { BENCH_UPSTREAM: upstream, BENCH_RECORDS: '1', BENCH_RESPONSES: values.responses, BENCH_CATALOG: 'none' }
const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', settings, values.folder)
const [main, , , config] = command.nodeArguments as readonly [string, string, string, string]
const keyOf = (user: string): string =>
  execFileSync(process.execPath, [main, 'keys', 'create', '--config', config, '--name', user, '--org', user, '--logging'], {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    encoding: 'utf8',
  }).trim()
const [large, small] = [keyOf('large'), keyOf('small')]
const preload = fileURLToPath(new URL('stalls-on-message.ts', import.meta.url))
const ready = {
  url: `http://127.0.0.1:${port}/v1/responses/input_tokens`,
  headers: { authorization: `Bearer ${apiKey}` },
  body: JSON.stringify({ model: 'bench/text-10', input: 'Hello' }),
}
const server = await startServer(
  { ...command, nodeArguments: ['--import', preload, ...command.nodeArguments], ipc: true },
  gatewayCore,
  ready,
)

let missed = false
let idleMb = 0
await Promise.all(Array.from({ length: 200 }, () => ask(small, 'text-1000')))
for (const kind of Object.keys(kinds)) await ask(large, `${kind}-${million}`)
await measure('nothing', [])
await measure(
  '20 of 1 MB',
  Array.from({ length: 20 }, () => `text-${million}`),
)
for (const megabytes of [5, 10, 20]) await measure(`one of ${megabytes} MB, text`, [`text-${megabytes * million}`])
for (const kind of ['accents', 'chinese', 'reasoning', 'arguments']) await measure(`one of 20 MB, ${kind}`, [`${kind}-${20 * million}`])
await measure(
  'three of 20 MB, text',
  Array.from({ length: 3 }, () => `text-${20 * million}`),
)
await measure(
  '60 of 2 MB, text',
  Array.from({ length: 60 }, () => `text-${2 * million}`),
)
await measure(
  '60 of 20 MB, text',
  Array.from({ length: 60 }, () => `text-${20 * million}`),
)
await server.stop()
process.exitCode = missed ? 1 : 0
process.exit()

/** Asks for large answers at once, and for small ones of another owner until they are complete. */
async function measure(title: string, models: readonly string[]): Promise<void> {
  await sleep(1500)
  await stalls(server)
  // Resets the highest memory: `man proc_pid_clear_refs`.
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const began = performance.now()
  let isOver = false
  const asked = Promise.all(models.map(model => ask(large, model))).finally(() => (isOver = true))
  const smallAnswers: Told[] = []
  do {
    smallAnswers.push(await ask(small, 'text-200'))
    await sleep(20)
  } while (!isOver)
  const answers = await asked
  const seconds = (performance.now() - began) / 1000
  // Records are written after the answer.
  await sleep(1500)
  const { delayMs, busyMs } = await stalls(server)
  const highestMb = memoryMb(server.pid, 'VmHWM')
  if (models.length === 0) idleMb = highestMb
  const isMet = busyMs <= maxStallMs && highestMb - idleMb <= maxMb && smallAnswers.every(({ outcome }) => outcome === 'stored')
  missed ||= !isMet
  const slowest = Math.max(...smallAnswers.map(({ ms }) => ms))
  console.log(
    `${isMet ? 'met   ' : 'MISSED'} ${title}: longest stall ${busyMs.toFixed(0)} ms of CPU (${delayMs.toFixed(0)} ms by the clock), at most ${highestMb.toFixed(0)} MB; large: ${counts(answers)} in ${seconds.toFixed(1)} s; small: ${counts(smallAnswers)}, slowest ${slowest.toFixed(0)} ms`,
  )
}

function counts(answers: readonly Told[]): string {
  const groups = Object.entries(Object.groupBy(answers, ({ outcome }) => outcome))
  return groups.map(([outcome, some]) => `${some!.length} ${outcome}`).join(', ')
}

function memoryMb(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return (Number(line?.[1]) * 1024) / 1e6
}

async function stalls({ child }: ServerProcess): Promise<Stalls> {
  child.send('stalls')
  return ((await once(child, 'message')) as [Stalls])[0]
}

function answer(reply: ServerResponse, kind: Kind, characters: number): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream' })
  const piece = sentence.repeat(18)
  if (kind === 'arguments') {
    reply.write(chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: '{"text":"' } }] }))
  }
  const whole = Buffer.from(chunk(kinds[kind](piece)))
  let left = characters
  const more = (): void => {
    while (left > 0 && !reply.destroyed) {
      const isWhole = left >= pieceCharacters
      const goesOn = reply.write(isWhole ? whole : chunk(kinds[kind](piece.slice(0, left))))
      left -= pieceCharacters
      if (!goesOn) return void reply.once('drain', more)
    }
    if (kind === 'arguments') reply.write(chunk({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] }))
    const usage = { prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010 }
    reply.end(
      `${chunk({}, kind === 'arguments' ? 'tool_calls' : 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    )
  }
  more()
}

function chunk(delta: object, finish_reason: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'bench-model', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
}

interface Told {
  readonly outcome: string
  readonly ms: number
}

async function ask(key: string, model: string): Promise<Told> {
  const began = performance.now()
  const body = JSON.stringify({ model: `bench/${model}`, input: 'Hello', stream: true })
  const sent = request(`http://127.0.0.1:${port}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
  })
  sent.end(body)
  try {
    const [reply] = await once(sent, 'response')
    let end = Buffer.alloc(0)
    for await (const part of reply) end = part.length >= 4096 ? part.subarray(-4096) : Buffer.concat([end, part]).subarray(-4096)
    return { outcome: outcomeOf(reply.statusCode, end.toString()), ms: performance.now() - began }
  } catch (error) {
    return { outcome: (error as Error).message, ms: performance.now() - began }
  }
}

function outcomeOf(status: number, end: string): string {
  if (status !== 200) return `${status}`
  if (end.includes('response.failed') || end.includes('"status":"failed"') || end.includes('"error":{'))
    return /server\.max\w+/.exec(end)?.[0] ?? end.slice(-300)
  return /"store":true(?!.*"store":)/s.test(end) ? 'stored' : /"store":false/.test(end) ? 'NOT STORED' : `cut off: ${end.slice(-200)}`
}

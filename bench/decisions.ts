// What the gateway adds to a decision: 20 questions over 8 kB of state, one at a time, compared with a bare forwarder and no gateway.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { gatewayCommand } from './gateway.ts'
import type { Shot } from './load.ts'
import { cpuMs } from './process-stat.ts'
import { freePort, startServer } from './server-process.ts'

const rounds = 40
const perRound = 50
const warmUpRounds = 80
const core = 1
const addedLimitMs = 0.4

const state = {
  conversation: Array.from({ length: 40 }, (_, turn) => ({ turn, said: 'The invoice of March is wrong, and nobody answers. '.repeat(4) })),
}
const ids = Array.from({ length: 20 }, (_, index) => `question_${index}`)
const questions = Object.fromEntries(ids.map((id, index) => [id, questionOf(index)]))
const body = JSON.stringify({ model: 'dm-1.13.0', state, questions })
const reply = JSON.stringify({
  model: 'dm-1.13.0',
  answers: Object.fromEntries(ids.map((id, index) => [id, answerOf(index)])),
  usage: { input_tokens: 2_900, output_tokens: 480 },
})

const upstream = createServer((request, response) => {
  request
    .resume()
    .on('end', () => response.writeHead(200, { 'content-type': 'application/json', 'content-length': reply.length }).end(reply))
})
await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const [gatewayPort, forwarderPort] = [await freePort(), await freePort()]
const { command, apiKey } = gatewayCommand(gatewayPort, 'decisions.config.ts', { BENCH_UPSTREAM: origin })
const forwarder = {
  nodeArguments: [fileURLToPath(new URL('bare-forwarder.ts', import.meta.url))],
  env: { BENCH_PORT: `${forwarderPort}`, BENCH_UPSTREAM: origin },
}
const shots = { none: shot(origin), bare: shot(`http://127.0.0.1:${forwarderPort}`), turnpike: shot(`http://127.0.0.1:${gatewayPort}`) }
const servers = { bare: await startServer(forwarder, core, shots.bare), turnpike: await startServer(command, core, shots.turnpike) }

const contenders = Object.entries(shots).map(([name, { url, headers }]) => ({
  name,
  client: new Client(new URL(url).origin),
  path: new URL(url).pathname,
  headers,
  times: [] as number[],
}))
let cpuBefore = cpuOfServers()
for (let round = -warmUpRounds; round < rounds; round++) {
  if (round === 0) cpuBefore = cpuOfServers()
  for (const contender of contenders)
    for (let count = 0; count < perRound; count++) {
      const took = await time(contender)
      if (round >= 0) contender.times.push(took)
    }
}

console.log(`${body.length} bytes of request, ${reply.length} of reply; ${rounds * perRound} each, in turns of ${perRound}`)
const quantiles = Object.fromEntries(
  contenders.map(({ name, times }) => [name, [quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.99)]]),
)
for (const [name, [p50, p90, p99]] of Object.entries(quantiles))
  console.log(`${name.padEnd(10)} p50 ${ms(p50!)}  p90 ${ms(p90!)}  p99 ${ms(p99!)}`)
const cpu = cpuOfServers().map((after, index) => (after - cpuBefore[index]!) / (rounds * perRound))
console.log(`CPU a request: bare ${ms(cpu[0]!)}, turnpike ${ms(cpu[1]!)}`)
const added = quantiles['turnpike']![0]! - quantiles['none']![0]!
const beyondBare = quantiles['turnpike']![0]! - quantiles['bare']![0]!
console.log(
  `added at p50: ${ms(added)} to no gateway, ${ms(beyondBare)} to the bare forwarder; the target is ${addedLimitMs} ms to no gateway`,
)
await Promise.all([...Object.values(servers).map(server => server.stop()), ...contenders.map(({ client }) => client.close())])
upstream.close()
upstream.closeAllConnections()
process.exitCode = added <= addedLimitMs ? 0 : 1

function cpuOfServers(): readonly number[] {
  return [cpuMs(servers.bare.pid), cpuMs(servers.turnpike.pid)]
}

async function time({ name, client, path, headers }: (typeof contenders)[number]): Promise<number> {
  const begin = performance.now()
  const answered = await client.request({ method: 'POST', path, headers, body })
  const text = await answered.body.text()
  const took = performance.now() - begin
  if (answered.statusCode !== 200 || !text.includes('"question_19"'))
    throw new Error(`${name} answered ${answered.statusCode}: ${text.slice(0, 500)}`)
  return took
}

function shot(target: string): Shot {
  return { url: `${target}/v1/systemone`, headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }, body }
}

function questionOf(index: number): object {
  const instructions = 'Judge the last turn of the conversation, and nothing that came before it.'
  if (index % 3 === 0) return { type: 'noul', instructions, criteria: { true: 'The writer is angry.', false: 'The writer is calm.' } }
  if (index % 3 === 1) return { type: 'choice', instructions, criteria: { billing: 'Money', bug: 'A defect', other: null } }
  return { type: 'score', instructions, criteria: ['can wait', 'should be answered soon', 'needs a reply today'] }
}

function answerOf(index: number): object {
  if (index % 3 === 0) return { type: 'noul', noul: 0.98 }
  if (index % 3 === 1) return { type: 'choice', choice: 'billing', confidence: 1, probabilities: { billing: 1, bug: 0, other: 0 } }
  const legend = { 0: 'can wait', 1: 'should be answered soon', 2: 'needs a reply today' }
  return { type: 'score', score: 1.97, confidence: 0.96, probabilities: { 0: 0, 1: 0.03, 2: 0.97 }, legend }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!
}

function ms(value: number): string {
  return `${value.toFixed(3)} ms`
}

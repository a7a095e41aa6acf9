import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from 'undici'
import { gatewayCommand } from './gateway.ts'
import type { Shot } from './load.ts'
import { cpuMs } from './process-stat.ts'
import { freePort, startServer } from './server-process.ts'
import { quantile } from './statistics.ts'

export interface DecisionLatency {
  readonly requestBytes: number
  readonly replyBytes: number
  readonly requests: number
  readonly contenders: readonly DecisionContender[]
  /** At p50: beyond no gateway, and beyond the bare forwarder. */
  readonly addedMs: number
  readonly beyondBareMs: number
}

export interface DecisionContender {
  readonly name: 'none' | 'bare' | 'turnpike'
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly cpuMs: number | undefined
}

const perRound = 50
/** For each contender: V8 needs it. */
const warmUpMs = 15_000

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

/** 20 questions over 8 kB of state, one request at a time: directly, through the bare forwarder, and through the gateway, in turns. */
export async function decisionLatency(core: number, rounds = 40): Promise<DecisionLatency> {
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
  const shot = (target: string): Shot => ({
    url: `${target}/v1/systemone`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  })
  const shots = { none: shot(origin), bare: shot(`http://127.0.0.1:${forwarderPort}`), turnpike: shot(`http://127.0.0.1:${gatewayPort}`) }
  const servers = {
    none: undefined,
    bare: await startServer(forwarder, core, shots.bare),
    turnpike: await startServer(command, core, shots.turnpike),
  }
  const names = ['none', 'bare', 'turnpike'] as const
  const clients = { none: clientOf(shots.none), bare: clientOf(shots.bare), turnpike: clientOf(shots.turnpike) }
  const times = { none: [] as number[], bare: [] as number[], turnpike: [] as number[] }
  const cpu = (name: (typeof names)[number]): number | undefined => {
    const server = servers[name]
    return server && cpuMs(server.pid)
  }
  try {
    for (const name of names)
      for (const end = performance.now() + warmUpMs; performance.now() < end;) await timeMs(name, clients[name], shots[name])
    const cpuBefore = names.map(cpu)
    for (let round = 0; round < rounds; round++)
      for (const name of names)
        for (let count = 0; count < perRound; count++) times[name].push(await timeMs(name, clients[name], shots[name]))
    const requests = rounds * perRound
    const contenders = names.map((name, index): DecisionContender => {
      const before = cpuBefore[index]
      return {
        name,
        p50Ms: quantile(times[name], 0.5),
        p90Ms: quantile(times[name], 0.9),
        p99Ms: quantile(times[name], 0.99),
        cpuMs: before === undefined ? undefined : (cpu(name)! - before) / requests,
      }
    })
    const [none, bare, turnpike] = contenders.map(({ p50Ms }) => p50Ms) as [number, number, number]
    return {
      requestBytes: body.length,
      replyBytes: reply.length,
      requests,
      contenders,
      addedMs: turnpike - none,
      beyondBareMs: turnpike - bare,
    }
  } finally {
    await Promise.all([...names.map(name => servers[name]?.stop()), ...names.map(name => clients[name].destroy())])
    upstream.close()
    upstream.closeAllConnections()
  }
}

function clientOf({ url }: Shot): Client {
  return new Client(new URL(url).origin)
}

async function timeMs(name: string, client: Client, { url, headers, body }: Shot): Promise<number> {
  const begin = performance.now()
  const answered = await client.request({ method: 'POST', path: new URL(url).pathname, headers, body })
  const text = await answered.body.text()
  const took = performance.now() - begin
  if (answered.statusCode !== 200 || !text.includes('"question_19"'))
    throw new Error(`${name} answered ${answered.statusCode}: ${text.slice(0, 500)}`)
  return took
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

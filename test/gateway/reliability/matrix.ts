import { createServer, type Server } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import pTimeout from 'p-timeout'
import type { RequestRecord } from '../../../core/index.ts'
import type { Timeouts } from '../../../core/kit.ts'
import { systemBackoff, type Backoff } from '../../../core/call/attempts/backoff.ts'
import {
  checkResponse,
  checkStream,
  fakeUpstream,
  type CheckedResponse,
  type FakeReply,
  type FakeUpstream,
} from '../../../core/testing/index.ts'
import { said } from '../../kit/stage.ts'
import { gateway, hello, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { expectedCalls, offered } from './calls.ts'
import { faults, type Fault, type Mode } from './faults.ts'
import { wires, type Common, type WireUnderTest } from './wires.ts'

/** The attempts of one scene, and their result. */
export interface Outcome {
  /** The attempts as they were recorded, such as `unavailable ×3, fallback ok`. */
  readonly tried: string
  /** Status and code as the caller got them, and how a stream ended. */
  readonly came: string
}

export interface Cell {
  readonly fault: string
  readonly mode: Mode
  readonly wire: string
  readonly alone: Outcome
  readonly withFallback: Outcome
}

/** Requests that have a fallback, at a provider with more rules: one that takes two at a time or, if the vendor is silent, a hedged one. */
export interface Ruled extends Outcome {
  readonly fault: string
  readonly mode: Mode
  readonly wire: string
}

export interface Matrix {
  readonly cells: readonly Cell[]
  /** `tried` by a request that comes after five at once, and what `came` of all of them. */
  readonly crowds: readonly Ruled[]
  readonly hedges: readonly Ruled[]
}

/**
 * Only for vendors that never answer: so long that a busy machine does not matter, and the head much later than the rest. `betweenEventsMs`
 * is well below the second that a body may stay open after its answer.
 */
const impatient: Partial<Timeouts> = { connectMs: 6_000, firstEventMs: 8_000, betweenEventsMs: 500, totalMs: 12_000 }

/** Every fault on every wire, whole and streamed, alone and with a fallback; or these faults. Where the vendor is silent, they mostly wait. */
export async function runMatrix(tried: readonly Fault[] = faults): Promise<Matrix> {
  const waited = new Map(
    await together(
      tried.filter(({ silent }) => silent),
      async fault => [fault, await runFault(fault)] as const,
    ),
  )
  const matrices = await inTurn(tried, async fault => waited.get(fault) ?? (await runFault(fault)))
  return {
    cells: matrices.flatMap(({ cells }) => cells),
    crowds: matrices.flatMap(({ crowds }) => crowds),
    hedges: matrices.flatMap(({ hedges }) => hedges),
  }
}

interface Scene {
  readonly wire: WireUnderTest
  readonly mode: Mode
  readonly part: 'alone' | 'fallback' | 'crowd' | 'hedged'
  readonly id: string
}

function scenesOf({ modes = ['whole', 'stream'], silent, heavy, on = () => true }: Fault): readonly Scene[] {
  const parts = ['alone', 'fallback', silent ? 'hedged' : 'crowd'] as const
  const all = modes.flatMap(mode =>
    wires.filter(on).flatMap(wire => parts.map(part => ({ wire, mode, part, id: `${wire.name}-${mode}-${part}` }))),
  )
  return heavy ? all.filter(({ part, wire }) => part !== 'crowd' || wire === wires[0]) : all
}

/** So long that a busy machine does not matter. */
export const hedgeAfterMs = 4_000

const rulesOf: Readonly<Record<Scene['part'], Pick<Common, 'maxConcurrent' | 'hedgeAfter'>>> = {
  alone: {},
  fallback: {},
  crowd: { maxConcurrent: 2 },
  hedged: { hedgeAfter: hedgeAfterMs },
}

/** Does not wait before it retries. Waits before it hedges. */
const backoff: Backoff = {
  random: () => 0.5,
  sleep: async (ms, signal) => (ms === hedgeAfterMs ? await systemBackoff.sleep(ms, signal) : signal.throwIfAborted()),
}

async function runFault(fault: Fault): Promise<Matrix> {
  const scenes = scenesOf(fault)
  const byId = new Map(scenes.map(scene => [scene.id, scene]))
  const calls = new Map<string, number>()
  const replyTo = (url: string): FakeReply => {
    const { id, wire, mode } = byId.get(url.split('/')[1]!)!
    calls.set(id, (calls.get(id) ?? 0) + 1)
    return fault.reply(wire, mode)
  }
  const upstream = await fakeUpstream(({ url }) => replyTo(url))
  const interim = await interimUpstream(replyTo)
  const silence = await silentPort()
  const bases = {
    // No resolver is asked for a label this long.
    'no such host': `http://${'x'.repeat(64)}.invalid`,
    'silent port': `https://127.0.0.1:${(silence.address() as AddressInfo).port}`,
    'closed port': 'http://127.0.0.1:1',
    'TLS on a plain port': upstream.url.replace('http:', 'https:'),
    'interim responses': `http://127.0.0.1:${(interim.address() as AddressInfo).port}`,
  }
  const base = fault.at ? bases[fault.at] : upstream.url
  const timeouts = fault.silent && { timeouts: impatient }
  const under = await gateway({
    plugins: [
      ...scenes.map(({ wire, id, part }) =>
        wire.plugin({ id, baseUrl: `${base}/${id}`, apiKey: 'sk-demo-matrix', ...timeouts, ...rulesOf[part] }),
      ),
      saying('spare', hello),
    ],
    backoff,
    // A busy machine must not commit a stream before its attempts are over.
    // Several replies that are too large may be read at once. Each must meet its own limit.
    settings: { logLevel: 'silent', commitAfterMs: 600_000, maxLiveAnswerBytes: 1024 ** 3 },
  })
  try {
    const each = fault.heavy ? inTurn : together
    const outcomes = new Map(
      await each(
        scenes.filter(({ part }) => part !== 'crowd'),
        async scene => [scene.id, await outcomeOf(under, fault, scene)] as const,
      ),
    )
    const crowds = await each(
      scenes.filter(({ part }) => part === 'crowd'),
      async scene => ({ ...ofScene(fault, scene), ...(await crowdOf(under, fault, scene)) }),
    )
    const hedges = scenes.filter(({ part }) => part === 'hedged').map(scene => ({ ...ofScene(fault, scene), ...outcomes.get(scene.id)! }))
    // A hedged attempt may end before its call has come.
    for (const { id } of scenes.filter(({ part }) => part !== 'hedged')) {
      const attempts = under.records.flatMap(record => record.attempts).filter(({ provider }) => provider === id).length
      // Nothing arrives at an upstream that cannot be reached.
      const called = fault.at && fault.at !== 'interim responses' ? attempts : (calls.get(id) ?? 0)
      if (called !== attempts) throw new Error(`${id}: ${attempts} attempts were recorded, ${called} calls came for ${fault.name}`)
    }
    await leftAlone(upstream, fault)
    const cells = scenes
      .filter(({ part }) => part === 'alone')
      .map(scene => ({
        ...ofScene(fault, scene),
        alone: outcomes.get(scene.id)!,
        withFallback: outcomes.get(`${scene.wire.name}-${scene.mode}-fallback`)!,
      }))
    return { cells, crowds, hedges }
  } finally {
    await under.stop()
    await upstream.close()
    interim.closeAllConnections()
    await new Promise(resolve => interim.close(resolve))
    await new Promise(resolve => silence.close(resolve))
  }
}

function ofScene({ name }: Fault, { mode, wire }: Scene): { readonly fault: string; readonly mode: Mode; readonly wire: string } {
  return { fault: name, mode, wire: wire.name }
}

async function together<T, R>(all: readonly T[], run: (each: T) => Promise<R>): Promise<readonly R[]> {
  return await Promise.all(all.map(run))
}

async function inTurn<T, R>(all: readonly T[], run: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  for (const each of all) results.push(await run(each))
  return results
}

/** Throws if the gateway leaves an exchange with the vendor open. */
async function leftAlone({ requests }: FakeUpstream, { name }: Fault): Promise<void> {
  const closed = Promise.all(requests.map(request => request.closed))
  const isLeft = await pTimeout(
    closed.then(() => true),
    { milliseconds: 20_000, message: false },
  )
  if (!isLeft) throw new Error(`an exchange with the vendor was left open after ${name}`)
}

async function crowdOf(under: GatewayUnderTest, fault: Fault, scene: Scene): Promise<Outcome> {
  const asked = (): Promise<Outcome> => outcomeOf(under, fault, scene)
  const five = await (fault.heavy ? inTurn : together)(Array.from({ length: 5 }), asked)
  const last = await asked()
  return { tried: last.tried, came: [...new Set([...five, last].map(({ came }) => came))].join('; ') }
}

async function outcomeOf(under: GatewayUnderTest, fault: Fault, { wire, mode, part, id }: Scene): Promise<Outcome> {
  const routing = part !== 'alone' && { routing: { provider: { fallbacks: ['spare'] } } }
  const body = { model: `${id}/${wire.model}`, input: 'hi', stream: mode === 'stream', ...routing, ...(fault.calls && { tools: offered }) }
  const reply = await under.request('/v1/responses', { body })
  const text = await reply.text()
  const requestId = reply.headers.get('x-request-id')!
  const record = await under.record(requestId)
  const { came, code } = told(reply, text, fault, record.provider === 'spare')
  if (record.status !== reply.status || record.errorCode !== code)
    throw new Error(`${id}: the caller got ${reply.status} ${code}, the record has ${record.status} ${record.errorCode}`)
  checkBill(record)
  if (under.records.filter(each => each.id === requestId).length !== 1) throw new Error(`${id}: there is more than one record`)
  return { tried: attemptsIn(record), came }
}

/** Usage and cost are never negative, and never NaN. */
function checkBill({ id, usage, costUsd }: RequestRecord): void {
  const numbers = Object.entries({ ...usage, cost: costUsd ?? 0 }).filter(([, value]) => typeof value === 'number')
  const wrong = numbers.find(([, value]) => !(Number(value) >= 0 && Number(value) < Infinity))
  if (wrong) throw new Error(`${id}: the record has ${wrong.join(' ')}`)
}

function told(
  reply: Response,
  text: string,
  { says, calls }: Fault,
  bySpare: boolean,
): { readonly came: string; readonly code: string | null } {
  if (reply.status !== 200) {
    const { code } = (JSON.parse(text) as { readonly error: { readonly code: string } }).error
    const advice = { true: ', retry', false: ', final' }[reply.headers.get('x-should-retry') ?? ''] ?? ''
    const after = reply.headers.get('retry-after')
    return { came: `${reply.status} \`${code}\`${advice}${after === null ? '' : ` after ${after} s`}`, code }
  }
  const streamed = reply.headers.get('content-type') === 'text/event-stream'
  const response = streamed ? checkStream(text).response : checkResponse(JSON.parse(text))
  const code = (response.error as { readonly code: string } | null)?.code ?? null
  if (code !== null) return { came: `200, then ${response.status}: \`${code}\``, code }
  const found = calls && !bySpare ? called(response) : said(response)
  const isRight = bySpare ? found === 'Hello' : found === (calls ? expectedCalls : (says ?? 'Hello.'))
  return { came: `200 ${response.status}${isRight ? '' : `, with another ${calls && !bySpare ? 'call' : 'text'}`}`, code }
}

function called({ output }: CheckedResponse): string {
  return output
    .filter(({ type }) => type === 'function_call')
    .map(({ name, arguments: text }) => `${String(name)}(${String(text)})`)
    .join(' ')
}

function attemptsIn({ attempts }: RequestRecord): string {
  const groups: { readonly what: string; count: number }[] = []
  for (const { provider, outcome } of attempts) {
    const what = provider === 'spare' ? `fallback ${outcome}` : outcome
    const last = groups.at(-1)
    if (last?.what === what) last.count++
    else groups.push({ what, count: 1 })
  }
  return groups.map(({ what, count }) => (count === 1 ? what : `${what} ×${count}`)).join(', ')
}

/** Sends every interim response that there is, then the reply. */
async function interimUpstream(replyTo: (url: string) => FakeReply): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeContinue()
    response.writeProcessing()
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    const { status = 200, headers, body } = replyTo(request.url!)
    response.writeHead(status, headers)
    response.end([body].flat().join(''))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Accepts connections, and says nothing. */
async function silentPort(): Promise<TcpServer> {
  const server = createTcpServer(socket => void socket.on('error', () => {}).resume())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}

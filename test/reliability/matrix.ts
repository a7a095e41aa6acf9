import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RequestRecord, Timeouts } from '../../core/index.ts'
import { checkResponse, checkStream, fakeUpstream, type FakeReply } from '../../core/testing/index.ts'
import { said } from '../core/stage.ts'
import { gateway, hello, saying, type GatewayUnderTest } from '../gateway.ts'
import { faults, type Fault, type Mode } from './faults.ts'
import { wires, type WireUnderTest } from './wires.ts'

/** What was tried, and what came of it. */
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

/** Only for vendors that never answer: so long that a busy machine does not matter, and the head much later than the rest. */
const impatient: Partial<Timeouts> = { firstEventMs: 4_000, betweenEventsMs: 500, totalMs: 6_000 }

/** Every fault on every wire, whole and streamed, alone and with a fallback. */
export async function runMatrix(): Promise<readonly Cell[]> {
  const cells: Cell[] = []
  for (const fault of faults) cells.push(...(await runFault(fault)))
  return cells
}

interface Scene {
  readonly wire: WireUnderTest
  readonly mode: Mode
  readonly fallback: boolean
  readonly id: string
}

async function runFault(fault: Fault): Promise<readonly Cell[]> {
  const scenes = wires.flatMap(wire =>
    (fault.modes ?? (['whole', 'stream'] as const)).flatMap(mode =>
      [false, true].map((fallback): Scene => ({ wire, mode, fallback, id: `${wire.name}-${mode}-${fallback ? 'fallback' : 'alone'}` })),
    ),
  )
  const byId = new Map(scenes.map(scene => [scene.id, scene]))
  const calls = new Map<string, number>()
  const replyTo = (url: string): FakeReply => {
    const { id, wire, mode } = byId.get(url.split('/')[1]!)!
    calls.set(id, (calls.get(id) ?? 0) + 1)
    return fault.reply(wire, mode)
  }
  const upstream = await fakeUpstream(({ url }) => replyTo(url))
  const interim = await interimUpstream(replyTo)
  const bases = {
    'closed port': 'http://127.0.0.1:1',
    'TLS on a plain port': upstream.url.replace('http:', 'https:'),
    'interim responses': `http://127.0.0.1:${(interim.address() as AddressInfo).port}`,
  }
  const base = fault.at ? bases[fault.at] : upstream.url
  const timeouts = fault.silent && { timeouts: impatient }
  const under = await gateway({
    plugins: [
      ...scenes.map(({ wire, id }) => wire.plugin({ id, baseUrl: `${base}/${id}`, apiKey: 'sk-demo-matrix', ...timeouts })),
      saying('spare', hello),
    ],
    // A busy machine must not commit a stream before its attempts are over.
    settings: { logLevel: 'silent', commitAfterMs: 600_000 },
  })
  try {
    const outcomes = new Map(await Promise.all(scenes.map(async scene => [scene.id, await outcomeOf(under, scene)] as const)))
    for (const { id } of scenes) {
      const attempts = under.records.flatMap(record => record.attempts).filter(({ provider }) => provider === id).length
      // What cannot be reached is not called.
      const called = fault.at?.includes('port') ? attempts : calls.get(id)
      if (called !== attempts) throw new Error(`${id}: ${attempts} attempts were recorded, ${called} calls came for ${fault.name}`)
    }
    return scenes
      .filter(({ fallback }) => !fallback)
      .map(({ wire, mode }) => ({
        fault: fault.name,
        mode,
        wire: wire.name,
        alone: outcomes.get(`${wire.name}-${mode}-alone`)!,
        withFallback: outcomes.get(`${wire.name}-${mode}-fallback`)!,
      }))
  } finally {
    await under.stop()
    await upstream.close()
    interim.closeAllConnections()
    await new Promise(resolve => interim.close(resolve))
  }
}

async function outcomeOf(under: GatewayUnderTest, { wire, mode, fallback, id }: Scene): Promise<Outcome> {
  const routing = fallback && { routing: { provider: { fallbacks: ['spare'] } } }
  const body = { model: `${id}/${wire.model}`, input: 'hi', stream: mode === 'stream', ...routing }
  const reply = await under.request('/v1/responses', { body })
  const text = await reply.text()
  const record = await under.record(reply.headers.get('x-request-id')!)
  const { came, code } = told(reply, text)
  if (record.status !== reply.status || record.errorCode !== code)
    throw new Error(`${id}: the caller got ${reply.status} ${code}, the record has ${record.status} ${record.errorCode}`)
  return { tried: attemptsIn(record), came }
}

function told(reply: Response, text: string): { readonly came: string; readonly code: string | null } {
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
  const complete = /^Hello\.?$/.test(said(response)) ? '' : ', with another text'
  return { came: `200 ${response.status}${complete}`, code }
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

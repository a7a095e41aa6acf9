import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { hello, saying } from '../../kit/gateway.ts'
import { ask, guarding, listing } from '../../kit/stage.ts'
import { decode, type Decoded } from './otlp.ts'
import { telemetryStage } from './stage.ts'

const script = fileURLToPath(new URL('decode.py', import.meta.url))
const hasPython = spawnSync('python3', ['-c', 'import opentelemetry.proto.trace.v1.trace_pb2']).status === 0

t.test(
  'the official definitions of OTLP read what is sent, as the decoder of these tests does',
  { skip: !hasPython && 'needs Python with the package opentelemetry-proto' },
  async t => {
    const plugins = [
      saying('acme', hello),
      listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }),
      guarding({ input: () => ({ pass: true }) }),
    ]
    const lines: string[] = []
    const decoded: Decoded[] = []
    for (const conventions of ['1.41', 'latest'] as const) {
      const key = { name: 'k', org: 'é'.repeat(200), policy: { logging: { value: true } } }
      const { under, collector, finish } = await telemetryStage(t, { conventions, content: true }, { plugins, key })
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      for (const stream of [true, false])
        await under.request('/v1/responses', { body: { model: 'm', input: 'Grüße '.repeat(5_000), stream }, headers: { traceparent } })
      await ask(under, { model: 'unknown' })
      await under.recorded(3)
      await finish()
      for (const { signal, body } of collector.received) {
        lines.push(`${signal} ${body.toString('base64')}`)
        decoded.push(decode(signal, body))
      }
    }
    t.ok(lines.length >= 6)
    const { stdout, stderr, status } = spawnSync('python3', [script], {
      input: lines.join('\n'),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    t.equal(status, 0, stderr)
    const official = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Decoded)
    for (const [index, { request, unknown }] of official.entries()) {
      t.equal(unknown, 0, 'every field is one of OTLP')
      t.same(withoutZeros(decoded[index]!), withoutZeros(request))
    }
  },
)

/** The official reader leaves out numbers that are zero where OTLP has no way to tell them from absent ones. */
function withoutZeros(value: any): any {
  if (Array.isArray(value)) return value.map(withoutZeros)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== 0 && member !== '0' && member !== '')
  return Object.fromEntries(members.map(([name, member]) => [name, withoutZeros(member)]))
}

import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import { isObject } from '../../foundation/json.ts'
import { Providers } from '../../framework/extension-points.ts'
import type { PluginUse } from '../../framework/plugin.ts'
import { onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import { cut, fakeUpstream, reset, stall, type FakeReply, type FakeUpstream } from '../fake-upstream.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { addedTo, stageOf } from './on-each-plugin.ts'

/** For `vendorSuite`. */
export interface VendorSuiteOptions extends Omit<CallSuiteOptions, 'plugin'> {
  /** Makes the plugin for a vendor at this address. */
  plugin(baseUrl: string): PluginUse
  /** A model that no catalog has to list. Default: `demo-model`. */
  readonly model?: string
  /** How quickly it must stop after an abort. Default: 2000. */
  readonly stopMs?: number
}

/** Tests for every provider over HTTP, against a vendor that answers nothing right. They need no knowledge of the vendor's format. */
export function vendorSuite(t: SuiteContext, options: VendorSuiteOptions): void {
  const on = (name: string, replies: Readonly<Record<string, FakeReply>>, run: typeof fails): unknown =>
    t.test(name, () => onVendor(options, replies, run))
  on("a vendor's error becomes an error for the caller", errors, fails)
  on('nothing else is taken for an answer', oddReplies, fails)
  on('a caller who leaves also leaves the vendor', { silence: { before: [stall] } }, leaves)
}

const said = 'vendor said 4711'
const html = { 'content-type': 'text/html' }
const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const page: FakeReply = { headers: html, body: `<html><body>${said}</body></html>` }

const errors = Object.fromEntries(
  [400, 401, 402, 403, 404, 409, 413, 429, 500, 502, 503, 504, 529].map(status => [`status ${status}`, { ...page, status }]),
)

const oddReplies: Readonly<Record<string, FakeReply>> = {
  'an empty reply': { headers: json, body: '' },
  'a page in HTML': page,
  'JSON that is cut': { headers: json, body: '{"a":' },
  'other JSON': { headers: json, body: '{"unknown":[null,{"a":1}]}' },
  'a list': { headers: json, body: '[]' },
  'a stream of something else': { headers: events, body: 'data: {"unknown":true}\n\ndata: 7\n\ndata: null\n\n' },
  'a stream without events': { headers: events, body: ': comment\n\n' },
  'a stream that is cut': { headers: events, body: ['data: {"a"', cut] },
  'a connection that is reset': { before: [reset] },
}

interface VendorStage {
  readonly stage: CallStage
  readonly upstream: FakeUpstream
  readonly model: string
  readonly secrets: readonly string[]
  readonly stopMs: number
  /** Of what the vendor replies. */
  readonly name: string
}

async function onVendor(options: VendorSuiteOptions, replies: Readonly<Record<string, FakeReply>>, run: typeof fails): Promise<void> {
  const { model = 'demo-model', stopMs = 2_000 } = options
  let current: FakeReply = {}
  await using upstream = await fakeUpstream(() => current)
  const use = options.plugin(upstream.url)
  const at = { ...options, plugin: () => use }
  await using around = await stageOf(at)
  const providers = addedTo(around, at, Providers)
  await onStage(at, async stage => {
    for (const { id } of providers)
      for (const [name, reply] of Object.entries(replies)) {
        current = reply
        await run({ stage, upstream, model: `${id}/${model}`, secrets: secretsOf(use), stopMs, name })
      }
  })
}

/** The texts of options that are secret. A short one would be found by chance. */
function secretsOf({ plugin, options }: PluginUse): readonly string[] {
  const secrets = Object.entries(options).flatMap(([name, value]) => {
    const schema: unknown = plugin.options.properties[name]
    return isObject(schema) && schema['writeOnly'] === true && typeof value === 'string' ? [value] : []
  })
  for (const { length } of secrets)
    assert.ok(length >= 8, `expected secrets of at least 8 characters in the options, got ${length}: use one such as sk-demo-acme`)
  return secrets
}

async function fails({ stage, upstream, model, secrets, name }: VendorStage): Promise<void> {
  const before = upstream.requests.length
  for (const stream of [false, true]) {
    const reply = await stage.gateway.request('/v1/responses', { body: { model, stream, input: 'hello' } })
    const text = await reply.text()
    const what = `${name}, ${stream ? 'streamed' : 'whole'}`
    assert.notEqual(reply.status, 200, `${what}: it takes this for an answer`)
    assert.notEqual(reply.status, 500, `${what}: it fails inside the gateway: ${text.slice(0, 300)}`)
    for (const secret of secrets) assert.ok(!text.includes(secret), `${what}: the error must not reveal a secret`)
  }
  assert.ok(upstream.requests.length > before, 'the vendor was not asked: the plugin must send to its baseUrl')
  for (const secret of secrets) assert.ok(!stage.logs.join().includes(secret), 'the log must not reveal a secret')
  for (const line of stage.logs) assert.ok(!line.includes(said), `the log must not repeat the vendor: ${line}`)
}

async function leaves({ stage, upstream, model, stopMs }: VendorStage): Promise<void> {
  const leaving = new AbortController()
  const before = upstream.requests.length
  let isOver = false
  void stage.gateway
    .request('/v1/responses', { body: { model, stream: true, input: 'hello' }, signal: leaving.signal })
    .then(reply => reply.text())
    .catch(() => undefined)
    .then(() => void (isOver = true))
  while (upstream.requests.length === before && !isOver) await new Promise(resolve => setImmediate(resolve))
  leaving.abort()
  const message = `the request to the vendor goes on ${stopMs} ms after its caller left`
  assert.ok(upstream.requests[before], 'the vendor was not asked: the plugin must send to its baseUrl')
  assert.equal(await pTimeout(upstream.requests[before].closed, { milliseconds: stopMs, message }), 'early')
}

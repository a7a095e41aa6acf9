import { readFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createLogger, type Logger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import type { LogSink, RequestRecord } from '../../../core/index.ts'
import type { SinkState } from '../../../core/contracts/vitals.ts'
import { RecordQueue, usualRecordDelayMs } from '../../../core/records/queue.ts'
import { fakeUpstream, reset, stall, testGateway, type FakeReply, type FakeUpstream } from '../../../core/testing/index.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import { DeadLetters } from '../../../plugins/logs/http/dead-letters.ts'
import { Delivery, type DeliveryOptions } from '../../../plugins/logs/http/delivery.ts'
import httpLog from '../../../plugins/logs/http/index.ts'
import sandbox from '../../../plugins/providers/sandbox/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import { record as bareRecord } from '../../../core/testing/stores/example-record.ts'

const canary = 'canary-0123456789'
const on = { value: true, source: 'key' } as const
const off = { value: false, source: 'key' } as const
const policy = { zdr: off, hipaa: off, redaction: off, logging: on }

function record(index: number, more: Partial<RequestRecord> = {}): RequestRecord {
  return bareRecord(index, { policy, ...more })
}

async function deliveryTo(
  t: Test,
  script: readonly FakeReply[],
  options: Partial<DeliveryOptions> = {},
  maxBytes = 1e6,
): Promise<{ delivery: Through; upstream: FakeUpstream; dead: string; logs: readonly string[] }> {
  const upstream = await fakeUpstream(script)
  t.teardown(() => upstream.close())
  const http = new UndiciClient()
  t.teardown(() => http.close())
  const logs: string[] = []
  const log = createLogger('info', new Masks(), line => void logs.push(line))
  const dead = join(t.testdir({}), 'logs', 'dead.jsonl')
  const all = {
    url: `${upstream.url}/records`,
    headers: {},
    format: 'array',
    content: false,
    timeoutMs: 5_000,
    maxAttempts: 3,
    ...options,
  } as const
  return { delivery: new Through(new Delivery(http, all, new DeadLetters(dead, maxBytes, log), log), log), upstream, dead, logs }
}

/** Delivers batches as the gateway does. */
class Through {
  readonly #delivery: Delivery
  readonly #log: Logger
  #queue: RecordQueue | undefined

  constructor(delivery: Delivery, log: Logger) {
    this.#delivery = delivery
    this.#log = log
  }

  async deliver(batch: readonly RequestRecord[]): Promise<void> {
    const delivery = this.#delivery
    const sinks = new OpenRegistry<LogSink>('log sink', sink => sink.name)
    const ended = Promise.withResolvers<void>()
    const sink: LogSink = {
      name: 'http',
      accepts: 'content',
      seesContent: 'local',
      write: records => delivery.write(records).then(ended.resolve),
      retryAfterMs: (error, failures) => delivery.retryAfterMs(error, failures),
      giveUp: (records, error) => delivery.giveUp(records, error).finally(ended.resolve),
    }
    sinks.add(sink, 'http-log')
    this.#queue = new RecordQueue(sinks, this.#log, usualRecordDelayMs)
    for (const record of batch) this.#queue.push(record)
    await ended.promise
    await setImmediate()
  }

  states(): readonly SinkState[] {
    return this.#queue?.states() ?? []
  }

  stop(): void {
    void this.#queue?.drain(1)
    this.#delivery.stop()
  }
}

t.test('a batch is one request', async t => {
  const { delivery, upstream, dead } = await deliveryTo(t, [{ status: 204 }, { status: 200, body: 'thanks' }], {
    headers: { authorization: 'Bearer demo' },
  })
  await delivery.deliver([record(1), record(2)])
  t.match(upstream.requests[0], {
    method: 'POST',
    url: '/records',
    headers: { authorization: 'Bearer demo', 'content-type': 'application/json' },
  })
  t.strictSame(upstream.requests[0]!.body, JSON.parse(JSON.stringify([record(1), record(2)])))
  t.notOk(existsSync(dead))
})

t.test('JSON lines', async t => {
  const { delivery, upstream } = await deliveryTo(t, [{ status: 202 }], { format: 'lines' })
  await delivery.deliver([record(1), record(2)])
  t.equal(upstream.requests[0]!.headers['content-type'], 'application/x-ndjson')
  t.same(
    upstream.requests[0]!.text.trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).id),
    ['req_000001', 'req_000002'],
  )
})

t.test('a temporary failure is retried', async t => {
  const soon = { 'retry-after-ms': '1' }
  const { delivery, upstream, dead } = await deliveryTo(t, [
    { status: 503, headers: soon },
    { status: 429, headers: soon },
    { status: 200 },
  ])
  await delivery.deliver([record(1)])
  t.equal(upstream.requests.length, 3)
  t.notOk(existsSync(dead))
})

t.test('undeliverable records are kept in a file, without content', async t => {
  const batch = [record(1, { request: { input: canary }, response: { output: canary } as never }), record(2)]
  for (const [script, requests] of [
    [[{ status: 400, body: 'no' }], 1],
    [[{ status: 500, headers: { 'retry-after-ms': '1' } }, { before: [reset] }], 2],
    [[{ status: 302, headers: { location: '/elsewhere' } }], 1],
    [[{ before: [stall] }], 1],
  ] as const) {
    const { delivery, upstream, dead, logs } = await deliveryTo(t, script, { maxAttempts: requests, content: true, timeoutMs: 2_000 })
    await delivery.deliver(batch)
    t.equal(upstream.requests.length, requests)
    const text = readFileSync(dead, 'utf8')
    t.same(
      text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).id),
      ['req_000001', 'req_000002'],
    )
    t.notMatch(text, canary)
    t.match(logs.join(), /could not deliver records/)
    t.notMatch(logs.join(), canary)
  }
})

t.test('a full dead-letter file drops, and says so', async t => {
  const { delivery, dead, logs } = await deliveryTo(t, [{ status: 400 }, { status: 400 }], {}, 1_200)
  await delivery.deliver([record(1)])
  const before = readFileSync(dead, 'utf8')
  const logged = logs.length
  await delivery.deliver([record(2)])
  t.equal(readFileSync(dead, 'utf8'), before)
  t.match(logs.join(), /"dropped":1,"message":"the dead-letter file is full/)
  t.notMatch(logs.slice(logged).join(), /they are in the dead-letter file/)
  t.match(delivery.states(), [{ sink: 'http', failed: 1 }], 'counted, so an alert tells of it')
})

t.test('a stop does not wait for an endpoint that is down', async t => {
  const { delivery, dead } = await deliveryTo(t, [{ status: 500 }])
  const delivered = delivery.deliver([record(1)])
  delivery.stop()
  await delivered
  t.match(readFileSync(dead, 'utf8'), /req_000001/)
})

t.test('a gateway sends content only where it may', async t => {
  const upstream = await fakeUpstream(() => ({ status: 200 }))
  t.teardown(() => upstream.close())
  const deadLetterFile = join(t.testdir({}), 'dead.jsonl')
  for (const content of [false, true]) {
    const under = await testGateway({
      plugins: [
        memory({}),
        localSealer({ masterKey: 'ab'.repeat(32) }),
        responses({}),
        sandbox({}),
        httpLog({ url: upstream.url, content, deadLetterFile }),
      ],
    })
    const silent = await under.gateway.issueKey({ name: 'silent' })
    const body = { model: 'sandbox/echo', input: canary }
    await under.request('/v1/responses', { body }).then(reply => reply.text())
    await under.request('/v1/responses', { body, headers: { authorization: `Bearer ${silent}` } }).then(reply => reply.text())
    await under.stop()
    const records = upstream.requests.splice(0).flatMap(({ body }) => body as { request: unknown }[])
    t.equal(records.length, 2)
    t.equal(records.filter(({ request }) => request !== null).length, content ? 1 : 0)
  }
})

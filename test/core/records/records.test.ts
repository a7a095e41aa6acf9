import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import { LogSinks, PluginError, type LogSink, type RequestRecord } from '../../../core/index.ts'
import { testRecord } from '../../../core/testing/index.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { RecordQueue, usualRecordDelayMs } from '../../../core/records/queue.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { adding, ask } from '../../kit/stage.ts'

const off = { value: false, source: 'key' } as const

function record(index: number): RequestRecord {
  return testRecord({
    id: `req_${index}`,
    at: index,
    keyId: 'k',
    org: 'example',
    owner: 'default',
    requestedModel: 'acme/m',
    model: 'm',
    provider: 'acme',
    policy: { zdr: off, hipaa: off, redaction: off, logging: { value: true, source: 'key' } },
    request: { input: 'canary' },
    response: { output: 'canary' },
  })
}

interface Kept {
  readonly batches: (readonly RequestRecord[])[]
  readonly sink: LogSink
}

function keeping(more: Partial<LogSink> = {}, before: (count: number) => Promise<void> | void = () => {}): Kept {
  const batches: (readonly RequestRecord[])[] = []
  let count = 0
  const sink: LogSink = {
    name: 'kept',
    accepts: 'content',
    async write(batch) {
      await before(++count)
      batches.push(batch)
    },
    ...more,
  }
  return { batches, sink }
}

const secret = 'demo-secret-of-a-sink'

function masksOf(...secrets: readonly string[]): Masks {
  const masks = new Masks()
  for (const each of secrets) masks.add(each)
  return masks
}

function queueOf(...sinks: readonly LogSink[]): { readonly queue: RecordQueue; readonly logs: string[] } {
  const logs: string[] = []
  const registry = new OpenRegistry<LogSink>('log sink', sink => sink.name)
  for (const sink of sinks) registry.add(sink, 'test')
  return {
    queue: new RecordQueue(
      registry,
      createLogger('info', masksOf(secret), line => void logs.push(line)),
      usualRecordDelayMs,
    ),
    logs,
  }
}

function pushing(queue: RecordQueue, count: number, from = 0): void {
  for (let index = from; index < from + count; index++) queue.push(record(index))
}

/** Lets time pass, and what waits for it happen. */
async function pass(ms: number): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn()
  mock.timers.tick(ms)
  for (let turns = 0; turns < 20; turns++) await nextTurn()
}

/** A test that moves the timers itself. */
function timed(name: string, run: (t: Test) => Promise<void>): void {
  void t.test(name, async t => {
    mock.timers.enable({ apis: ['setTimeout'] })
    t.teardown(() => mock.timers.reset())
    await run(t)
  })
}

const idsOf = (batches: readonly (readonly RequestRecord[])[]): readonly string[] => batches.flat().map(({ id }) => id)

timed('records go in batches, in order, each once, off the path of the request', async t => {
  const { batches, sink } = keeping()
  const { queue } = queueOf(sink)
  pushing(queue, 3)
  await pass(0)
  t.same(batches, [], 'not at once')
  await pass(1_000)
  t.same(
    batches.map(batch => batch.map(({ id }) => id)),
    [['req_0', 'req_1', 'req_2']],
  )
  pushing(queue, 1_200, 3)
  await pass(1_000)
  t.same(
    idsOf(batches),
    Array.from({ length: 1_203 }, (_, index) => `req_${index}`),
  )
  t.ok(batches.length < 10 && batches.every(batch => batch.length <= 500), 'of a bounded size')
  t.equal(queue.room(), undefined)
})

timed('a sink is asked with one batch at a time', async t => {
  let writing = 0
  let most = 0
  const { sink, batches } = keeping({}, async () => {
    most = Math.max(most, ++writing)
    await nextTurn()
    writing -= 1
  })
  const { queue } = queueOf(sink)
  for (let round = 0; round < 5; round++) {
    pushing(queue, 600, round * 600)
    await pass(250)
  }
  await queue.drain(1_000)
  t.equal(most, 1)
  t.equal(idsOf(batches).length, 3_000)
})

timed('a sink that throws loses its batch and nothing else; others never notice', async t => {
  const failing = keeping({ name: 'failing' }, count => {
    if (count === 1) throw new Error('canary in the message')
  })
  const other = keeping({ name: 'other' })
  const { queue, logs } = queueOf(failing.sink, other.sink)
  pushing(queue, 2)
  await pass(1_000)
  pushing(queue, 2, 2)
  await pass(1_000)
  t.same(idsOf(failing.batches), ['req_2', 'req_3'])
  t.same(idsOf(other.batches), ['req_0', 'req_1', 'req_2', 'req_3'])
  t.equal(logs.length, 1)
  t.match(logs[0], /"sink":"failing","records":2/)
  t.notMatch(logs[0], 'canary', 'what it said may be content')
})

timed('a sink that hangs at a stop is named, with the number of its last records', async t => {
  const hanging = keeping({ name: 'hanging' }, () => new Promise(() => {}))
  const other = keeping({ name: 'other' })
  const { queue, logs } = queueOf(hanging.sink, other.sink)
  pushing(queue, 510)
  const drained = queue.drain(1_000)
  await pass(1_000)
  await drained
  t.equal(idsOf(other.batches).length, 510)
  t.equal(logs.length, 1)
  t.match(logs[0], /"sink":"hanging","records":510,.*did not take the last records in time/)
})

timed('records of requests that end while a slow sink still writes reach all sinks', async t => {
  const written = Promise.withResolvers<void>()
  const slow = keeping({ name: 'slow' }, () => written.promise)
  const quick = keeping({ name: 'quick' })
  const { queue, logs } = queueOf(slow.sink, quick.sink)
  pushing(queue, 2)
  const drained = queue.drain(1_000)
  await nextTurn()
  t.same(idsOf(quick.batches), ['req_0', 'req_1'])
  pushing(queue, 2, 2)
  written.resolve()
  await drained
  for (const { batches } of [slow, quick]) t.same(idsOf(batches), ['req_0', 'req_1', 'req_2', 'req_3'])
  t.same(logs, [])
})

timed('what a sink says of itself is logged, unless content may be in it', async t => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED', syscall: 'connect' })
  for (const [accepts, thrown, told] of [
    ['metadata', new Error('the table is gone'), /"reason":"the table is gone"/],
    ['metadata', 'no disk', /"reason":"no disk"/],
    ['content', new Error('the table is gone'), /"reason":"The message may quote content/],
    ['content', new PluginError('acme-log', 'has no table'), /"reason":"plugin acme-log has no table"/],
    ['content', new TypeError('fetch failed', { cause: refused }), /"reason":"connect ECONNREFUSED 10.0.0.1:5432"/],
    ['metadata', new Error('x'.repeat(5_000)), /"reason":"x{300}"/],
    ['metadata', new Error(`${'x'.repeat(290)} ${secret}`), /"reason":"x{290} \*\*\*"/],
  ] as const) {
    const failing = keeping({ name: 'failing', accepts }, () => {
      throw thrown
    })
    const { queue, logs } = queueOf(failing.sink)
    pushing(queue, 1)
    await pass(1_000)
    t.match(logs[0], told)
    t.match(logs[0], /"plugin":"test"/)
  }
})

timed('a required sink is asked again with the same batch', async t => {
  const { sink, batches } = keeping({ required: true }, count => {
    if (count < 3) throw new Error('not now')
  })
  const { queue, logs } = queueOf(sink)
  pushing(queue, 2)
  for (let turn = 0; turn < 5; turn++) await pass(1_000)
  t.same(idsOf(batches), ['req_0', 'req_1'])
  t.equal(logs.length, 2)
})

timed('a sink says how long to wait for the next try, and keeps what is given up', async t => {
  const asked: number[] = []
  const lost: (readonly RequestRecord[])[] = []
  const { sink, batches } = keeping(
    {
      retryAfterMs: (error, failures) => {
        t.equal((error as Error).message, 'not now')
        asked.push(failures)
        return failures < 3 ? 5_000 : undefined
      },
      giveUp: async batch => void lost.push(batch),
    },
    count => {
      if (count !== 2 && count < 6) throw new Error('not now')
    },
  )
  const { queue, logs } = queueOf(sink)
  pushing(queue, 2)
  await pass(250)
  t.same(asked, [1])
  await pass(4_999)
  t.same(batches, [], 'not before its time')
  await pass(1)
  t.same(idsOf(batches), ['req_0', 'req_1'])
  pushing(queue, 1, 2)
  for (let turn = 0; turn < 4; turn++) await pass(5_000)
  t.same(asked, [1, 1, 2, 3])
  t.same(idsOf(lost), ['req_2'])
  t.equal(logs.length, 2, 'one line for each batch')
  pushing(queue, 1, 3)
  await pass(250)
  t.same(idsOf(batches), ['req_0', 'req_1', 'req_3'])
})

timed('a stop does not wait for the next try', async t => {
  const lost: (readonly RequestRecord[])[] = []
  const { sink } = keeping({ retryAfterMs: () => 60_000, giveUp: async batch => void lost.push(batch) }, () => {
    throw new Error('not now')
  })
  const { queue } = queueOf(sink)
  pushing(queue, 1)
  const drained = queue.drain(1_000)
  await pass(1_000)
  await drained
  await pass(0)
  t.same(idsOf(lost), ['req_0'])
})

timed('a sink that lags loses the oldest, and how many is logged', async t => {
  const gate = Promise.withResolvers<void>()
  const { sink, batches } = keeping({}, count => (count === 1 ? gate.promise : undefined))
  const { queue, logs } = queueOf(sink)
  pushing(queue, 1)
  await pass(250)
  pushing(queue, 25_000, 1)
  t.equal(queue.room(), undefined, 'nobody waits for it')
  gate.resolve()
  await queue.drain(10_000)
  const ids = idsOf(batches)
  t.equal(ids[0], 'req_0', 'what was on its way')
  t.equal(ids.at(-1), 'req_25000')
  t.ok(ids.length > 5_000 && ids.length <= 10_001, `${ids.length} are kept`)
  t.same(
    ids.slice(1),
    Array.from({ length: ids.length - 1 }, (_, index) => `req_${25_002 - ids.length + index}`),
    'the newest',
  )
  t.match(logs.join(''), `"dropped":${25_001 - ids.length}`)
  t.match(queue.states(), [{ waiting: 0, dropped: 25_001 - ids.length, contentsDropped: 0, failed: 0 }])
})

timed('content that waits is bounded by its size, and so is a batch', async t => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const large = (index: number): RequestRecord => ({ ...record(index), response: { output: [megabyte] } })
  const gate = Promise.withResolvers<void>()
  const { sink, batches } = keeping({}, count => (count === 1 ? gate.promise : undefined))
  const { queue, logs } = queueOf(sink)
  queue.push(record(0))
  await pass(250)
  for (let index = 1; index <= 200; index++) queue.push(large(index))
  gate.resolve()
  await queue.drain(10_000)
  t.strictSame(
    idsOf(batches),
    Array.from({ length: 201 }, (_, index) => `req_${index}`),
  )
  const withContent = batches.flat().flatMap(({ id, request, response }) => (request && response ? [id] : []))
  t.ok(withContent.length > 100 && withContent.length <= 130, 'the oldest content goes')
  t.equal(withContent.at(-1), 'req_200')
  t.match(logs.join(''), new RegExp(`"contents":${201 - withContent.length},.*the content of the oldest records was dropped`))
  t.match(queue.states(), [{ waiting: 0, dropped: 0, contentsDropped: 201 - withContent.length, failed: 0 }])
  t.ok(batches.every(batch => batch.filter(({ response }) => response).length <= 5))
})

timed('a required sink with much waiting content holds back new requests', async t => {
  const gate = Promise.withResolvers<void>()
  const { sink, batches } = keeping({ required: true }, () => gate.promise)
  const { queue } = queueOf(sink)
  const output = 'x'.repeat(10 * 1024 * 1024)
  for (let index = 0; index < 12; index++) queue.push({ ...record(index), response: { output } })
  t.equal(queue.room(), undefined)
  queue.push({ ...record(12), response: { output } })
  t.not(queue.room(), undefined)
  gate.resolve()
  await queue.drain(10_000)
  t.equal(queue.room(), undefined)
  t.ok(batches.flat().every(({ response }) => response?.['output'] === output))
})

timed('a required sink that lags holds back new requests until there is room', async t => {
  const gate = Promise.withResolvers<void>()
  const { sink, batches } = keeping({ required: true }, count => (count === 1 ? gate.promise : undefined))
  const { queue } = queueOf(sink)
  pushing(queue, 500)
  await pass(250)
  pushing(queue, 9_999, 500)
  t.equal(queue.room(), undefined)
  pushing(queue, 1, 10_499)
  let waited = false
  const room = queue.room()!.then(() => (waited = true))
  await pass(5_000)
  t.notOk(waited)
  gate.resolve()
  await room
  await queue.drain(10_000)
  t.equal(idsOf(batches).length, 10_500, 'none is lost')
})

timed('stopping delivers what is left, and gives up at the deadline', async t => {
  const good = keeping({ name: 'good' })
  const stuck = keeping({ name: 'stuck', required: true }, () => new Promise(() => {}))
  const { queue } = queueOf(good.sink, stuck.sink)
  pushing(queue, 3)
  let drained = false
  const done = queue.drain(2_000).then(() => (drained = true))
  await pass(1_999)
  t.notOk(drained)
  t.same(idsOf(good.batches), ['req_0', 'req_1', 'req_2'], 'without waiting for the batch to fill')
  await pass(1)
  await done
  t.same(stuck.batches, [])
})

timed('a sink of metadata never gets content', async t => {
  const metadata = keeping({ name: 'metadata', accepts: 'metadata' })
  const content = keeping({ name: 'content' })
  const { queue } = queueOf(metadata.sink, content.sink)
  pushing(queue, 2)
  await queue.drain(1_000)
  t.notMatch(JSON.stringify(metadata.batches), 'canary')
  t.match(metadata.batches[0]![0], { id: 'req_0', request: null, response: null })
  t.match(content.batches[0]![0], { request: { input: 'canary' }, response: { output: 'canary' } })
})

timed('a gateway delivers its last record when it stops', async t => {
  mock.timers.reset()
  const metadata = keeping({ name: 'metadata', accepts: 'metadata' })
  const under = await gateway({ plugins: [saying('acme', hello), adding(LogSinks, metadata.sink)] })
  const { status, requestId } = await ask(under, { model: 'acme/m', input: 'canary' })
  t.equal(status, 200)
  await under.stop()
  t.match(metadata.batches.flat(), [{ id: requestId, status: 200, request: null, response: null }])
  t.match(under.records, [{ request: { input: [{}] } }])
})

timed('content goes only to sinks that the policy of the caller allows', async t => {
  const on = { value: true, source: 'key' } as const
  const policies = { plain: {}, zdr: { zdr: on }, hipaa: { hipaa: on }, both: { zdr: on, hipaa: on } }
  const agreements = { zdr: { policy_url: 'https://example.com/zdr' }, hipaa: { baa_url: 'https://example.com/baa' } }
  const sinks: readonly (readonly [string, Partial<LogSink>, readonly string[]])[] = [
    ['metadata', { accepts: 'metadata' }, []],
    ['undeclared', {}, ['plain']],
    ['local', { seesContent: 'local' }, ['plain', 'zdr', 'hipaa', 'both']],
    ['zdr', { seesContent: { ...agreements, hipaa: false } }, ['plain', 'zdr']],
    ['hipaa', { seesContent: { ...agreements, zdr: false } }, ['plain', 'hipaa']],
    ['certified', { seesContent: agreements }, ['plain', 'zdr', 'hipaa', 'both']],
    ['partial', { seesContent: { ...agreements, zdr: { ...agreements.zdr, excludes: ['files'] } } }, ['plain', 'hipaa']],
  ]
  const kept = sinks.map(([name, more]) => keeping({ name, ...more }))
  const { queue } = queueOf(...kept.map(({ sink }) => sink))
  for (const [id, policy] of Object.entries(policies))
    queue.push({
      ...record(0),
      id,
      policy: { zdr: off, hipaa: off, redaction: off, logging: on, ...policy },
      request: { input: 'demo-prompt' },
      response: { output: 'demo-answer' },
    })
  await pass(1_000)
  sinks.forEach(([name, , seen], index) => {
    const records = kept[index]!.batches.flat()
    t.equal(records.length, 4, name)
    t.same(
      records.filter(({ request, response }) => request !== null || response !== null).map(({ id }) => id),
      seen,
      name,
    )
  })
})

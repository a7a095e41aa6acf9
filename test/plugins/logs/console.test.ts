import t from 'tap'
import { LogSinks, type LogSink, type RequestRecord } from '../../../core/index.ts'
import { testRecord } from '../../../core/testing/index.ts'
import consoleLog from '../../../plugins/logs/console/index.ts'
import { setUp } from '../../kit/set-up.ts'

const record = testRecord({
  id: 'req_1',
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  elapsedMs: 812.4,
  keyId: 'demo',
  org: 'example',
  owner: 'ada',
  stream: true,
  requestedModel: 'auto',
  model: 'example/large',
  provider: 'acme',
  attempts: [{ provider: 'acme', model: 'example/large', outcome: 'ok', status: 200, elapsedMs: 800 }],
  usage: { uncachedInput: 20, cacheRead: 1000, cacheWrite5m: 3, cacheWrite1h: 0, output: 45, reasoning: 5 },
  costUsd: 0.000123,
})
const refused: RequestRecord = {
  ...record,
  id: 'req_2',
  status: 404,
  model: null,
  provider: null,
  attempts: [],
  usage: null,
  costUsd: null,
  errorCode: 'model_not_found',
}

async function sinkOf(options: Parameters<typeof consoleLog>[0]): Promise<LogSink> {
  const { container, host } = await setUp([consoleLog(options)])
  await host.stop()
  return container.get(LogSinks).get('console')!
}

/** Returns the strings that a batch writes to standard output. The test's own report goes there, too, so only this call is watched. */
async function written(sink: LogSink, batch: readonly RequestRecord[], failure?: Error): Promise<string[]> {
  const chunks: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((chunk: string, done: (error?: Error) => void) => {
    chunks.push(chunk)
    queueMicrotask(() => done(failure))
    return true
  }) as typeof write
  const finished = sink.write(batch)
  process.stdout.write = write
  await finished
  return chunks
}

t.test('text', async t => {
  const sink = await sinkOf({ format: 'text' })
  t.equal(sink.accepts, 'metadata')
  t.strictSame(await written(sink, [record, refused]), [
    '2026-01-02T03:04:05.678Z 200 POST /v1/responses acme/example/large 1023+45 tokens $0.000123 812 ms req_1\n' +
      '2026-01-02T03:04:05.678Z 404 POST /v1/responses 812 ms model_not_found req_2\n',
  ])
})

t.test('nobody can write lines of his own or steer the terminal', async t => {
  const [line] = await written(await sinkOf({ format: 'text' }), [{ ...record, model: 'x\n\u001b[2J\u2028y\u009bz' }])
  t.match(line, ' acme/x??[2J?y?z 1023+45 tokens')
})

t.test('json has everything but content', async t => {
  const content = { ...record, request: { input: 'canary' }, response: { output: 'canary' } }
  const [lines] = await written(await sinkOf({ format: 'json' }), [content, refused])
  const [first, second, rest] = lines!.split('\n')
  const { request: _request, response: _response, ...metadata } = record
  t.strictSame(JSON.parse(first!), metadata)
  t.match(JSON.parse(second!), { id: 'req_2', costUsd: null })
  t.equal(rest, '')
})

t.test('the default suits where it goes', async t => {
  const { isTTY } = process.stdout
  t.teardown(() => (process.stdout.isTTY = isTTY))
  process.stdout.isTTY = true
  t.match((await written(await sinkOf({}), [record]))[0], /^2026-/)
  process.stdout.isTTY = false
  t.match((await written(await sinkOf({}), [record]))[0], /^{"id":"req_1"/)
})

t.test('a failed write is told', async t => {
  await t.rejects(written(await sinkOf({ format: 'json' }), [record], new Error('EPIPE')), { message: 'EPIPE' })
})

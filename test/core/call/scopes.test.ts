import t, { type Test } from 'tap'
import { definePlugin, GatewayError, ProviderFailure } from '../../../core/index.ts'
import { GatewayServices, type DecisionRequest, type Outcome } from '../../../core/kit.ts'
import { KeyStore } from '../../../core/stores.ts'
import { deciding } from '../../kit/decision-stage.ts'
import { gateway, hello, scripted } from '../../kit/gateway.ts'
import { guarding, providing } from '../../kit/stage.ts'
import { TextSink } from '../../kit/text-sink.ts'

// A surface that gets its requests from a queue. It uses what every plugin can import, and nothing else.

interface Message {
  readonly authorization: string
  readonly body: { readonly model: string; readonly question: string } | DecisionRequest
  readonly signal?: AbortSignal
}

interface Queue {
  /** Set by the plugin when the gateway starts. */
  consume: (message: Message) => Promise<unknown>
}

const queueSurface = (queue: Queue) =>
  definePlugin({
    name: '@acme/turnpike-queue',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { gateway: GatewayServices },
    setup(registrar, _options, { gateway }) {
      registrar.onStart(() => {
        queue.consume = message => answerTo(message, gateway)
      })
    },
  })({})

async function answerTo({ authorization, body, signal }: Message, gateway: GatewayServices): Promise<unknown> {
  const scope = await gateway.openScope({ authorization, method: 'QUEUE', path: 'orders', idPrefix: 'msg', ...(signal && { signal }) })
  try {
    const answer = 'questions' in body ? await gateway.decide(scope, body) : await generated(body)
    scope.close(200)
    return answer
  } catch (error) {
    if (error instanceof GatewayError) scope.close(error)
    else scope.close(500)
    throw error
  }

  async function generated({ model, question }: { readonly model: string; readonly question: string }): Promise<string> {
    const sink = new TextSink()
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: question }] }] as const
    const outcome: Outcome | GatewayError = await gateway.generate(scope, { model, input }, sink).finished
    if (outcome instanceof GatewayError) throw outcome
    return sink.text
  }
}

async function queued(t: Test, ...plugins: NonNullable<Parameters<typeof gateway>[0]>['plugins'] & object) {
  const queue: Queue = { consume: async () => {} }
  const under = await gateway({ plugins: [queueSurface(queue), ...plugins] })
  t.teardown(under.stop)
  const question = { model: 'acme/m', question: 'Hello?' }
  const send = (body: Message['body'] = question, authorization = `Bearer ${under.apiKey}`, signal?: AbortSignal) =>
    queue.consume({ authorization, body, ...(signal && { signal }) })
  return { under, send }
}

const refusal = (answer: Promise<unknown>): Promise<unknown> => answer.catch((error: unknown) => error)

const acme = scripted('acme', async function* () {
  yield* hello
})

t.test('a message of a queue is answered, and has one record', async t => {
  const { under, send } = await queued(t, acme)
  t.equal(await send(), 'Hello')
  const [record, ...others] = await under.recorded(1)
  t.same(others, [])
  t.match(record, {
    id: /^msg_/,
    method: 'QUEUE',
    path: 'orders',
    status: 200,
    errorCode: null,
    model: 'm',
    provider: 'acme',
    keyId: String,
    usage: { output: 2 },
    answerId: 'said_1',
  })
})

t.test('a decision is answered, and has one record', async t => {
  const { under, send } = await queued(t, deciding('acme').plugin)
  const request = { model: 'acme/one-1', state: 'It rains.', questions: { wet: { type: 'noul', instructions: 'Is it wet?' } } } as const
  t.match(await send(request), { answers: { wet: { type: 'noul' } } })
  t.match(await under.recorded(1), [{ path: 'orders', status: 200, model: 'one-1' }])
})

t.test('a key that is not accepted is refused, and recorded once', async t => {
  const { under, send } = await queued(t, acme)
  for (const wrong of ['Bearer tp_demo_wrong', '', under.apiKey]) t.match(await refusal(send(undefined, wrong)), { status: 401 })
  const records = await under.recorded(3)
  t.match(records, Array(3).fill({ path: 'orders', status: 401, errorCode: 'invalid_api_key', keyId: null, provider: null }))
  t.equal(under.records.length, 3)
})

t.test('values from a plugin in plain JavaScript are checked, so no store gets a broken record', async t => {
  let services: GatewayServices | undefined
  const plugin = definePlugin({
    name: 'careless-queue',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { gateway: GatewayServices },
    setup(registrar, _options, { gateway }) {
      registrar.onStart(() => void (services = gateway))
    },
  })({})
  const under = await gateway({ plugins: [plugin] })
  t.teardown(under.stop)
  const opening = { authorization: `Bearer ${under.apiKey}`, method: 'QUEUE', path: 'orders' }
  const impossible = new GatewayError({ status: 9999, type: 'server_error', code: 'server_error', message: 'Impossible.' })
  const wrong: readonly unknown[] = [undefined, 'done', NaN, 9999, 200.5, new Error('CANARY of a queue'), impossible]
  for (const outcome of wrong) (await services!.openScope(opening)).close(outcome as number)
  ;(await services!.openScope(opening)).close(202)
  const records = await under.recorded(wrong.length + 1)
  t.match(records, [...Array(wrong.length).fill({ status: 500, errorCode: 'server_error' }), { status: 202, errorCode: null }])
  t.equal(under.logs.length, wrong.length)
  for (const line of under.logs) t.match(JSON.parse(line), { level: 'error', request: /^req_/, message: /neither an HTTP status nor/ })
  t.notMatch(under.logs.join(), 'CANARY')
  for (const facts of [{ method: 5 }, { path: undefined }])
    await t.rejects(services!.openScope({ ...opening, ...facts } as unknown as typeof opening), { name: 'TypeError' })
  t.equal(under.records.length, wrong.length + 1)
})

t.test('guardrails and failures are those of every surface', async t => {
  const notHere = new GatewayError({ status: 400, type: 'invalid_request_error', code: 'invalid_prompt', message: 'Not here.' })
  const guarded = await queued(t, acme, guarding({ input: () => ({ refuse: notHere }) }))
  t.match(await refusal(guarded.send()), { code: 'invalid_prompt' })
  t.match(await guarded.under.recorded(1), [{ status: 400, errorCode: 'invalid_prompt', provider: null }])

  const failing = scripted('acme', async function* () {
    throw new ProviderFailure({ kind: 'invalid-request', message: 'no' })
  })
  const failed = await queued(t, failing)
  t.match(await refusal(failed.send()), { status: 400 })
  t.match(await failed.under.recorded(1), [{ status: 400, provider: 'acme', attempts: [{ outcome: 'invalid-request' }] }])
})

t.test('a store that fails is a 503 with a record and a line in the log', async t => {
  const broken = providing(KeyStore, {
    persistent: false,
    find: () => Promise.reject(new Error('gone')),
    add: async () => {},
    update: async () => false,
    list: async () => [],
    page: async () => ({ items: [], next: undefined }),
    remove: async () => false,
    empty: async () => true,
  } as unknown as KeyStore)
  const { under, send } = await queued(t, acme, broken)
  t.match(await refusal(send()), { status: 503 })
  t.match(await under.recorded(1), [{ path: 'orders', status: 503, errorCode: 'server_error' }])
  t.ok(under.logs.some(line => line.includes('a request failed')))
})

t.test('a signal ends the request with a 499, even if it comes before the key was checked', async t => {
  const asked = Promise.withResolvers<AbortSignal>()
  const stalling = scripted('acme', async function* ({ signal }) {
    asked.resolve(signal)
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    yield* hello
  })
  const { under, send } = await queued(t, stalling)
  const leaving = new AbortController()
  const answer = send(undefined, undefined, leaving.signal)
  const signal = await asked.promise
  leaving.abort()
  t.match(await refusal(answer), { status: 499 })
  t.ok(signal.aborted, 'the provider knows')
  t.match(await refusal(send(undefined, undefined, AbortSignal.abort())), { status: 499 })
  const records = await under.recorded(2)
  t.match(records, Array(2).fill({ status: 499, errorCode: 'client_closed_request' }))
  t.match(
    records.map(({ provider }) => provider),
    ['acme', null],
  )
})

t.test('a scope is recorded once, and not before the model has finished', async t => {
  const goOn = Promise.withResolvers<void>()
  const slow = scripted('acme', async function* () {
    await goOn.promise
    yield* hello
  })
  const services = Promise.withResolvers<GatewayServices>()
  const taking = definePlugin({
    name: 'taking',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { gateway: GatewayServices },
    setup(registrar, _options, { gateway }) {
      t.throws(() => gateway.clock, /use GatewayServices from `onStart`, not in `setup`/)
      registrar.onStart(() => services.resolve(gateway))
    },
  })
  const under = await gateway({ plugins: [slow, taking({})] })
  t.teardown(under.stop)
  const { openScope, generate } = await services.promise
  const open = () => openScope({ authorization: `Bearer ${under.apiKey}`, method: 'TIMER', path: 'nightly' })
  const scope = await open()
  const run = generate(scope, { model: 'acme/m', input: [{ type: 'message', role: 'user', content: [] }] }, new TextSink())
  scope.close(200)
  scope.close(500)
  const idle = await open()
  idle.close(204)
  idle.close(new GatewayError({ status: 500, type: 'server_error', code: 'server_error', message: 'late' }))
  t.match(await under.recorded(1), [{ status: 204, errorCode: null }], 'the other one goes on')
  goOn.resolve()
  await run.finished
  t.match(await under.recorded(2), [{ status: 204 }, { id: scope.id, status: 200, usage: { output: 2 } }])
  t.equal(under.records.length, 2)
})

t.test('no scope is opened while the gateway ends', async t => {
  const queue: Queue = { consume: async () => {} }
  const under = await gateway({ plugins: [queueSurface(queue), acme] })
  const body = { model: 'acme/m', question: 'Hello?' }
  const send = () => queue.consume({ authorization: `Bearer ${under.apiKey}`, body })
  t.equal(await send(), 'Hello')
  under.gateway.abortRuns()
  t.match(await refusal(send()), { status: 503, message: /shutting down/ })
  await under.stop()
  t.equal(under.records.length, 1)
})

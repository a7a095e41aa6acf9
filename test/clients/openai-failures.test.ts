import OpenAI from 'openai'
import t from 'tap'
import { fakeUpstream } from '../../core/testing/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import { listeningGateway, scripted } from '../kit/gateway.ts'
import { chat } from '../plugins/providers/all/answers.ts'

/** The error that the SDK throws. */
async function thrown(promise: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  try {
    await promise
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

t.test('the openai SDK and failures', async t => {
  const under = await listeningGateway()
  t.teardown(under.stop)
  let calls = 0
  const client = (apiKey: string, maxRetries = 2): OpenAI =>
    new OpenAI({
      apiKey,
      maxRetries,
      baseURL: `${under.url}/v1`,
      fetch: (url, init) => {
        calls++
        return fetch(url, init)
      },
    })
  const issue = (settings: object): Promise<string> => under.gateway.issueKey({ name: 'limited', ...settings })
  const hi = (model: string, input = 'hi'): OpenAI.Responses.ResponseCreateParamsNonStreaming => ({ model, input })
  const anyone = client(under.apiKey)

  await t.test('an error class for every status, each asked for once', async t => {
    const noCredit = client(await issue({ spendCapUsd: 0.000_000_1 }))
    const noModel = client(await issue({ models: ['tools'] }))
    const noProvider = client(await issue({ providers: ['other'] }))
    const guarded = client(await issue({ policy: { zdr: { value: true } } }))
    const { APIError, AuthenticationError, BadRequestError, NotFoundError, PermissionDeniedError, UnprocessableEntityError } = OpenAI
    const cases = [
      [anyone, hi('none-such-model'), BadRequestError, { status: 400, code: 'model_not_found', param: 'model' }],
      [anyone, hi(''), BadRequestError, { status: 400, type: 'invalid_request_error', param: 'model' }],
      [anyone, hi('sandbox/fail', 'context-length'), BadRequestError, { status: 400, code: 'context_length_exceeded' }],
      [client('tp_demo_wrong'), hi('sandbox/echo'), AuthenticationError, { status: 401, code: 'invalid_api_key' }],
      [noCredit, hi('sandbox/echo'), APIError, { status: 402, code: 'insufficient_credits' }],
      [noModel, hi('sandbox/echo'), PermissionDeniedError, { status: 403, code: 'model_not_allowed' }],
      [noProvider, hi('sandbox/echo'), PermissionDeniedError, { status: 403, code: 'provider_not_allowed' }],
      [guarded, hi('sandbox/echo'), UnprocessableEntityError, { status: 422, type: 'invalid_request_error' }],
      [anyone, hi('sandbox/fail', 'protocol'), APIError, { status: 424, code: 'provider_error' }],
    ] as const
    for (const [asker, body, kind, expected] of cases) {
      for (const stream of [false, true]) {
        calls = 0
        const error = await thrown(asker.responses.create({ ...body, stream } as typeof body))
        const name = `${expected.status}${stream ? ' before a stream' : ''}: ${error.message}`
        t.ok(error instanceof kind, name)
        t.match(error, expected)
        t.equal(error.requestID?.length, error.headers?.get('x-request-id')?.length)
        t.ok(error.requestID, 'which names the request')
        t.equal(calls, 1)
      }
    }
    calls = 0
    const missing = await thrown(anyone.models.retrieve('none-such'))
    t.ok(missing instanceof NotFoundError)
    t.match(missing, { status: 404, code: 'model_not_found' })
    t.equal(calls, 1)
  })

  await t.test('a temporary failure is retried when the gateway says', async t => {
    calls = 0
    const limited = await thrown(client(under.apiKey).responses.create(hi('sandbox/fail', '{"status":429,"retryAfterMs":3}')))
    t.ok(limited instanceof OpenAI.RateLimitError)
    t.match(limited, { status: 429, code: 'rate_limit_exceeded' })
    t.equal(limited.headers?.get('retry-after'), '1')
    t.equal(limited.headers?.get('retry-after-ms'), '3')
    t.equal(calls, 3)
    const late = await thrown(client(under.apiKey, 0).responses.create(hi('sandbox/fail', '504')))
    t.ok(late instanceof OpenAI.InternalServerError)
    t.match(late, { status: 504, code: 'provider_timeout' })
  })

  await t.test('an upstream that fails once, twice and always', async t => {
    for (const [fails, told] of [
      [1, { calls: 1, upstream: 2, answered: true }],
      [2, { calls: 1, upstream: 3, answered: true }],
      [3, { calls: 2, upstream: 4, answered: true }],
      [Infinity, { calls: 3, upstream: 5, answered: false }],
    ] as const) {
      for (const stream of [false, true]) {
        const upstream = await fakeUpstream(() =>
          upstream.requests.length <= fails
            ? { status: 503, body: '' }
            : { headers: { 'content-type': stream ? chat.streamType : 'application/json' }, body: stream ? chat.stream : chat.whole },
        )
        const other = await listeningGateway({
          plugins: [openaiChat({ id: 'acme', host: 'compatible', apiKey: 'sk-demo', baseUrl: upstream.url })],
        })
        let calls = 0
        const asker = new OpenAI({
          apiKey: other.apiKey,
          baseURL: `${other.url}/v1`,
          fetch: (url, init) => {
            calls++
            return fetch(url, init)
          },
        })
        const answered = await asker.responses.create({ model: 'acme/m', input: 'hi', stream }).then(
          () => true,
          error => (t.match(error, { status: 424, code: 'provider_error' }), false),
        )
        t.same({ calls, upstream: upstream.requests.length, answered }, told, `fails ${fails} times${stream ? ', streamed' : ''}`)
        await other.stop()
        await upstream.close()
      }
    }
    calls = 0
    await thrown(client(under.apiKey).responses.create(hi('sandbox/fail', 'auth')))
    t.equal(calls, 1, 'what stays is not asked for again')
  })

  await t.test('a failure in mid-stream', async t => {
    const failing = { model: 'sandbox/fail', input: '{"status":503,"after":2,"message":"Gone for lunch."}' }
    const raw = await anyone.responses.create({ ...failing, stream: true })
    let text = ''
    const error = await thrown(
      (async () => {
        for await (const event of raw) if (event.type === 'response.output_text.delta') text += event.delta
      })(),
    )
    t.equal(text, 'Piece 1. Piece 2.')
    t.match(error, { code: 'provider_error', message: /Gone for lunch/ })

    const stream = anyone.responses.stream(failing)
    stream.on('error', () => {})
    t.match(await thrown(stream.finalResponse()), { code: 'provider_error', message: /Gone for lunch/ }, '.stream()')

    const cut = anyone.responses.stream({ model: 'sandbox/fail', input: '{"cut":true,"after":1}' })
    cut.on('error', () => {})
    t.match(await thrown(cut.finalResponse()), { code: 'provider_error' }, 'a reply that breaks off is no success')
  })

  await t.test('a client that leaves', async t => {
    const gone = Promise.withResolvers<void>()
    const stuck = scripted('stuck', async function* ({ signal }) {
      yield { type: 'text', text: 'So' }
      await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      gone.resolve()
      signal.throwIfAborted()
    })
    const other = await listeningGateway({ plugins: [stuck] })
    t.teardown(other.stop)
    const leaving = new OpenAI({ apiKey: other.apiKey, baseURL: `${other.url}/v1`, maxRetries: 0 })
    const stream = leaving.responses.stream({ model: 'stuck/any', input: 'hi' })
    stream.on('response.output_text.delta', () => stream.abort())
    t.ok((await thrown(stream.finalResponse())) instanceof OpenAI.APIUserAbortError)
    await gone.promise
    const [record] = await other.recorded(1)
    t.equal(record!.status, 499)
  })
})

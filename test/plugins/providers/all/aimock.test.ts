import { LLMock } from '@copilotkit/aimock'
import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { checkResponse, checkStream, type CheckedResponse } from '../../../../core/testing/index.ts'
import { said } from '../../../kit/stage.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { everyProvider, type ProviderUnderTest } from './every-provider.ts'

// Every provider against vendors that others wrote, with the faults that they can play.

const long = 'One two three four five six seven eight nine ten. '.repeat(4)
const steady = { ttft: 0, tps: 200, jitter: 0 }
const latencyMs = 2_000
const hastyMs = 60

const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: 8 })
mock.on({ userMessage: 'Weather', hasToolResult: true }, { content: 'It is sunny in Oslo.' })
mock.on(
  { userMessage: 'Weather', hasToolResult: false },
  { toolCalls: [{ id: 'call_demo', name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
)
mock.onMessage('Hello', { content: 'Hello yourself.' })
mock.onMessage('Think', { content: 'So it is.', reasoning: 'It must be so.' })
mock.onMessage('Structured', { content: '{"city":"Oslo"}' })
mock.onMessage('Slower', { error: { message: 'Slower, please.', type: 'rate_limit_error' }, status: 429, retryAfter: 7 })
mock.onMessage('Broken', { error: { message: 'Out of order.', type: 'server_error' }, status: 500 })
mock.onMessage('Wrong', { error: { message: 'The temperature is too high.', type: 'invalid_request_error' }, status: 400 })
mock.onMessage('Stranger', { error: { message: 'Who is asking?', type: 'authentication_error' }, status: 401 })
mock.onMessage('Dropped', { content: long }, { chaos: { dropRate: 1 } })
mock.onMessage('Malformed', { content: long }, { chaos: { malformedRate: 1 } })
mock.onMessage('Disconnected', { content: long }, { chaos: { disconnectRate: 1 } })
mock.onMessage('Limited', { content: long }, { chaos: { rateLimitRate: 1 } })
mock.onMessage('Late', { content: 'At last.' }, { chaos: { latencyMs: 20 } })
mock.onMessage('Overdue', { content: 'At last.' }, { chaos: { latencyMs } })
mock.onMessage('Truncated', { content: long }, { truncateAfterChunks: 6, streamingProfile: steady })
mock.onMessage('Torn', { content: long }, { disconnectAfterMs: 60, streamingProfile: steady })

const google = await FakeGoogle.start()
const url = await mock.start()

/** Providers that the mock serves under another path than its root. Undefined for those that it does not serve. */
const addresses: Readonly<Record<string, string | undefined>> = {
  'openai-responses': `${url}/v1`,
  'openai-chat': `${url}/v1`,
  mistral: `${url}/v1`,
  'ai-sdk': `${url}/v1`,
  'azure-anthropic': undefined,
  'vertex-anthropic': undefined,
}
const served = everyProvider(google).filter(({ name }) => !(name in addresses) || addresses[name] !== undefined)
let now = Date.now()
const under = await gateway({
  plugins: served.flatMap(({ name, plugin }) => {
    const baseUrl = addresses[name] ?? url
    return [plugin({ id: name, baseUrl }), plugin({ id: `${name}-hasty`, baseUrl, timeouts: { firstEventMs: hastyMs, totalMs: hastyMs } })]
  }),
  settings: { logLevel: 'silent' },
  // Every request comes so late that what an earlier one left behind is forgotten.
  clock: { now: () => (now += 60_000), elapsed: () => performance.now() },
})
t.teardown(() => Promise.all([under.stop(), mock.stop(), google.close()]))

/** Where the mock puts thoughts into the text, or into a member that the vendor (or the package) does not know. */
const thoughtless: ReadonlySet<string> = new Set(['cohere', 'ollama', 'ai-sdk'])

interface Told {
  readonly status: number
  readonly headers: Headers
  /** Of a 200. */
  readonly response: CheckedResponse
  /** Of any other status. */
  readonly error: JsonObject
  readonly id: string
}

/** The caller's error for each error of the vendor and each fault. A code that exists in the public protocol, too, is passed on. */
interface Refusal {
  readonly status: number
  readonly outcomes: readonly string[]
  readonly codes: readonly string[]
  readonly words?: RegExp
}

const unavailable = { status: 424, outcomes: ['unavailable', 'unavailable', 'unavailable'], codes: ['provider_error'] }
const limited = { status: 429, outcomes: ['rate-limit'], codes: ['rate_limit_exceeded'] }
const refusals: Readonly<Record<string, Refusal>> = {
  Slower: { ...limited, words: /Slower, please/ },
  Broken: { ...unavailable, words: /Out of order/ },
  Wrong: { status: 400, outcomes: ['invalid-request'], codes: ['invalid_value'], words: /temperature/ },
  Stranger: { status: 424, outcomes: ['auth'], codes: ['provider_error'], words: /credentials/ },
  Dropped: unavailable,
  Malformed: { status: 424, outcomes: ['protocol', '…'], codes: ['provider_error'] },
  Disconnected: { status: 424, outcomes: ['network', 'network', 'network'], codes: ['provider_error'], words: /connection/ },
  Limited: limited,
}

const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]

async function ask(provider: string, { model }: ProviderUnderTest, stream: boolean, body: JsonObject): Promise<Told> {
  const reply = await under.request('/v1/responses', { body: { model: `${provider}/${model}`, stream, ...body } })
  const text = await reply.text()
  const isStreamed = reply.headers.get('content-type') === 'text/event-stream'
  return {
    id: reply.headers.get('x-request-id')!,
    status: reply.status,
    headers: reply.headers,
    get response() {
      return isStreamed ? checkStream(text).response : checkResponse(JSON.parse(text))
    },
    get error() {
      return (JSON.parse(text) as { readonly error: JsonObject }).error
    },
  }
}

/** Records come in batches, so that they are looked at in the end. */
const expected: { readonly told: Told; readonly errorCode: unknown; readonly outcomes: readonly string[] }[] = []

for (const provider of served) {
  for (const stream of [false, true]) {
    const about = (input: string, more: JsonObject = {}): Promise<Told> => ask(provider.name, provider, stream, { input, ...more })
    const name = `${provider.name}, ${stream ? 'streamed' : 'whole'}`

    t.test(`${name}: what a model says`, async t => {
      const hello = await about('Hello')
      t.match(hello.response, { status: 'completed', model: `${provider.name}/${provider.model}` })
      t.equal(said(hello.response), 'Hello yourself.')
      expected.push({ told: hello, errorCode: null, outcomes: ['ok'] })

      const called = await about('Weather', { tools })
      const call = called.response.output.find(({ type }) => type === 'function_call')!
      t.match(call, { name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' })
      const result = { type: 'function_call_output', call_id: call['call_id'], output: '{"sky":"clear"}' }
      const question = { type: 'message', role: 'user', content: 'Weather' }
      const answered = await ask(provider.name, provider, stream, { tools, input: [question, ...called.response.output, result] })
      t.equal(said(answered.response), 'It is sunny in Oslo.')

      const thought = await about('Think')
      t.match(said(thought.response), /So it is\.$/)
      if (!thoughtless.has(provider.name)) {
        t.equal(said(thought.response), 'So it is.')
        t.match(JSON.stringify(thought.response.output), /"reasoning".*It must be so\./)
      }

      const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
      const structured = await about('Structured', { text: { format: { type: 'json_schema', name: 'city', schema, strict: true } } })
      t.strictSame(JSON.parse(said(structured.response)), { city: 'Oslo' })
      t.equal(said((await about('Late')).response), 'At last.')
    })

    t.test(`${name}: what fails`, async t => {
      for (const [input, { status, outcomes, codes, words = /./ }] of Object.entries(refusals)) {
        const told = await about(input)
        const code = String(told.error['code'])
        t.equal(told.status, status, input)
        t.match(JSON.stringify(told.error), words, input)
        t.ok(codes.includes(code), `${input}: ${code}`)
        if (status === 429) t.equal(told.headers.get('retry-after'), input === 'Slower' ? '7' : '1', input)
        expected.push({ told, errorCode: code, outcomes })
      }
      const overdue = await ask(`${provider.name}-hasty`, provider, stream, { input: 'Overdue' })
      t.equal(overdue.status, 504)
      t.match(overdue.error, { code: 'provider_timeout' })
      expected.push({ told: overdue, errorCode: 'provider_timeout', outcomes: ['timeout'] })
    })
  }

  t.test(`${provider.name}: a stream that breaks is no answer`, async t => {
    for (const input of ['Truncated', 'Torn']) {
      const told = await ask(provider.name, provider, true, { input })
      const { status, error } = told.status === 200 ? { ...told.response } : { status: told.status, error: told.error }
      t.ok(status === 'failed' || status === 424, `${input}: ${status}`)
      t.match(error, { code: 'provider_error' }, input)
      expected.push({ told, errorCode: 'provider_error', outcomes: ['network', '…'] })
    }
  })
}

t.test('one record each', async t => {
  for (const { told, errorCode, outcomes } of expected) {
    const record = await under.record(told.id)
    t.equal(under.records.filter(({ id }) => id === told.id).length, 1)
    t.match(record, { status: told.status, errorCode })
    const seen = record.attempts.map(({ outcome }) => outcome)
    // How far a broken answer came decides how often it is asked for.
    const compared = outcomes.at(-1) === '…' ? [...new Set(seen), '…'] : seen
    t.ok(seen.length <= 3)
    t.strictSame(compared, outcomes, record.provider ?? told.id)
  }
})

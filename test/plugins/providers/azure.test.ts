import { LLMock } from '@copilotkit/aimock'
import t from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import {
  fakeUpstream,
  providerCall,
  providerSuite,
  readEvents,
  sseFrame,
  type FakeReply,
  type ReceivedRequest,
} from '../../../core/testing/index.ts'
import { resourceOf, urlOf } from '../../../plugins/providers/azure/address.ts'
import { Deployments, isOpenai, type Api } from '../../../plugins/providers/azure/deployments.ts'
import { orOfPlatform } from '../../../plugins/providers/azure/failure.ts'
import azure from '../../../plugins/providers/azure/index.ts'
import { failureFrom } from '../../../dialects/chat/failure.ts'
import { chatAdapter } from '../../../dialects/index.ts'
import { failureFrom as anthropicFailure } from '../../../dialects/messages/failure.ts'
import { current } from '../../../plugins/providers/azure/chat-hosts.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'

type Options = Parameters<typeof azure>[0]

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }

/** A whole answer in the dialect of the address that was asked. */
function answer({ url, body }: ReceivedRequest): FakeReply {
  const { model = 'demo' } = body as { readonly model?: string }
  const said = url.includes('/messages')
    ? {
        type: 'message',
        model,
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 3, output_tokens: 2 },
      }
    : url.includes('/responses')
      ? {
          object: 'response',
          status: 'completed',
          model,
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }],
          usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
        }
      : { model, choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }], usage }
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(said) }
}

interface Stage {
  readonly under: GatewayUnderTest
  readonly requests: readonly ReceivedRequest[]
  ask(model: string, more?: JsonObject): Promise<Response>
}

async function stage(
  t: { teardown(run: () => Promise<void>): unknown },
  options: Partial<Options>,
  script: (request: ReceivedRequest) => FakeReply = answer,
): Promise<Stage> {
  const upstream = await fakeUpstream(script)
  const proof = options.token ? {} : { apiKey: 'demo-azure-key' }
  const under = await gateway({ plugins: [azure({ baseUrl: `${upstream.url}/openai/v1/`, ...proof, ...options })] })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  return {
    under,
    requests: upstream.requests,
    ask: (model, more) => under.request('/v1/responses', { body: { model, input: 'Hi', ...more } }),
  }
}

t.test('where a deployment is found', async t => {
  const resource = resourceOf('demo', undefined)!
  const table: readonly (readonly [Api, string | undefined, string])[] = [
    ['responses', undefined, 'https://demo.openai.azure.com/openai/v1/responses'],
    ['responses', 'preview', 'https://demo.openai.azure.com/openai/v1/responses?api-version=preview'],
    ['responses', '2025-04-01-preview', 'https://demo.openai.azure.com/openai/responses?api-version=2025-04-01-preview'],
    ['chat', undefined, 'https://demo.openai.azure.com/openai/v1/chat/completions'],
    ['chat', '2024-10-21', 'https://demo.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21'],
    ['anthropic', undefined, 'https://demo.services.ai.azure.com/anthropic/v1/messages'],
    ['anthropic', '2024-10-21', 'https://demo.services.ai.azure.com/anthropic/v1/messages'],
  ]
  for (const [api, apiVersion, url] of table) t.equal(urlOf(resource, { name: 'my gpt', api, apiVersion }), url)
  for (const end of ['', '/', '/openai', '/openai/v1/', '/anthropic', '/anthropic/v1', '/models'])
    t.equal(
      resourceOf(undefined, `https://demo.cognitiveservices.azure.com${end}`)?.openai,
      'https://demo.cognitiveservices.azure.com',
      end,
    )
  t.equal(resourceOf(undefined, undefined), undefined)
})

t.test('which dialect a model is spoken to in', async t => {
  const deployments = new Deployments({
    deployments: {
      'gpt-5': 'prod',
      best: { deployment: 'my-claude' },
      plain: { api: 'chat', apiVersion: '2024-10-21' },
      'gpt-4.1': { apiVersion: '2025-04-01-preview' },
    },
  })
  const of = (model: string, upstreamModel = model): unknown =>
    deployments.of(providerCall({ model, input: [] }, { endpoint: { upstreamModel } }).endpoint)
  t.same(of('gpt-5'), { name: 'prod', api: 'responses', apiVersion: undefined })
  t.same(of('gpt-5', 'gpt-5-2025-08-07'), { name: 'prod', api: 'responses', apiVersion: undefined }, 'by the canonical name too')
  t.same(
    of('best'),
    { name: 'my-claude', api: 'anthropic', apiVersion: undefined },
    "by the deployment's name where the model's tells nothing",
  )
  t.same(of('plain'), { name: 'plain', api: 'chat', apiVersion: '2024-10-21' })
  t.same(of('gpt-4.1'), { name: 'gpt-4.1', api: 'responses', apiVersion: '2025-04-01-preview' })
  t.equal(deployments.onlyApi, undefined)
  t.equal(new Deployments({ api: 'chat' }).onlyApi, 'chat')
  t.equal(new Deployments({ api: 'chat', deployments: { a: { api: 'responses' } } }).onlyApi, undefined)
  const table: readonly (readonly [string, Api])[] = [
    ['gpt-5-mini', 'responses'],
    ['gpt-4o', 'responses'],
    ['gpt-4.1-nano', 'responses'],
    ['o4-mini', 'responses'],
    ['codex-mini', 'responses'],
    ['gpt-35-turbo', 'chat'],
    ['gpt-3.5-turbo', 'chat'],
    ['gpt-4', 'chat'],
    ['gpt-4-32k', 'chat'],
    ['gpt-4-0613', 'chat'],
    ['gpt-oss-120b', 'chat'],
    ['DeepSeek-V3.1', 'chat'],
    ['grok-4-1-fast', 'chat'],
    ['Mistral-Large-3', 'chat'],
    ['claude-opus-4-5', 'anthropic'],
  ]
  for (const [model, api] of table)
    t.match(new Deployments({}).of(providerCall({ model, input: [] }).endpoint), { name: model, api }, model)
  t.ok(isOpenai('prod-gpt-5'))
  t.notOk(isOpenai('grok-4'))
})

t.test('one provider serves them all, each by its own address, name and header', async t => {
  const { under, requests, ask } = await stage(t, {
    deployments: { 'gpt-5-mini': 'mini-prod', 'gpt-4': { apiVersion: '2024-10-21' }, 'claude-haiku-4-5': 'haiku', 'DeepSeek-V3.1': {} },
  })
  const table: readonly (readonly [model: string, url: string, header: string, sent: JsonObject])[] = [
    ['gpt-5-mini', '/openai/v1/responses', 'api-key', { model: 'mini-prod', store: false }],
    [
      'gpt-4',
      '/openai/deployments/gpt-4/chat/completions?api-version=2024-10-21',
      'api-key',
      { model: 'gpt-4', max_completion_tokens: 99 },
    ],
    ['claude-haiku-4-5', '/anthropic/v1/messages', 'x-api-key', { model: 'haiku', max_tokens: 99 }],
    ['DeepSeek-V3.1', '/openai/v1/chat/completions', 'api-key', { model: 'DeepSeek-V3.1', max_completion_tokens: 99 }],
    ['azure/gpt-4o', '/openai/v1/responses', 'api-key', { model: 'gpt-4o' }],
  ]
  for (const [model, url, header, sent] of table) {
    const reply = await ask(model, { max_output_tokens: 99 })
    t.match(await reply.json(), { status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } }, model)
    const request = requests.at(-1)!
    t.equal(request.url, url)
    t.match(request.headers, { [header]: 'demo-azure-key', authorization: undefined })
    t.match(request.body, sent)
  }
  t.equal(requests[2]!.headers['anthropic-version'], '2023-06-01')
  const listed = (await (await under.request('/v1/models')).json()) as { readonly data: readonly { readonly id: string }[] }
  for (const model of ['gpt-5-mini', 'gpt-4', 'claude-haiku-4-5', 'DeepSeek-V3.1'])
    t.ok(
      listed.data.some(({ id }) => id === model),
      `${model} is listed`,
    )
})

t.test('capabilities follow the name of the model, not of its deployment', async t => {
  const { requests, ask } = await stage(t, { deployments: { 'claude-3-5-haiku': 'claude-prod' } })
  await ask('azure/claude-3-5-haiku', { temperature: 0.5 })
  t.match(requests[0]!.body, { model: 'claude-prod', max_tokens: 8192, temperature: 0.5 })
})

t.test('what each dialect can do: tools of the Responses dialect reach a deployment that speaks nothing else', async t => {
  const sentTools = async (
    options: Partial<Options>,
    model: string,
    tools: object[] = [{ type: 'custom', name: 'note' }],
  ): Promise<unknown> => {
    const { requests, ask } = await stage(t, options)
    t.equal((await ask(model, { tools })).status, 200)
    return (requests[0]!.body as { readonly tools: unknown }).tools
  }
  t.match(await sentTools({ api: 'responses' }, 'azure/gpt-5'), [{ type: 'custom', name: 'note' }])
  t.match(await sentTools({ deployments: { 'gpt-5': 'prod' } }, 'gpt-5'), [{ type: 'custom' }], 'a listed deployment is known')
  const search = [{ type: 'web_search' }]
  t.match(await sentTools({ deployments: { 'gpt-5': 'prod' } }, 'gpt-5', search), search, 'it runs built-in tools, too')
  t.match(await sentTools({}, 'azure/gpt-5'), [{ type: 'function', name: 'note' }], 'where several dialects may come, what all know')
  t.match(await sentTools({ api: 'chat' }, 'azure/gpt-5'), [{ type: 'function', function: { name: 'note' } }])
})

t.test('models of other makers take no function as tool_choice, and no newer role', async t => {
  const { requests, ask } = await stage(t, {})
  const more = {
    input: [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }],
    tool_choice: { type: 'function', name: 'weather' },
  }
  await ask('azure/MAI-DS-R1', more)
  t.match(requests[0]!.body, { tool_choice: 'required', messages: [{ role: 'system' }, { role: 'user' }] })
  const openai = await stage(t, { api: 'chat' })
  await openai.ask('azure/gpt-4o', more)
  t.match(openai.requests[0]!.body, {
    tool_choice: { type: 'function', function: { name: 'weather' } },
    messages: [{ role: 'developer' }, {}],
  })
  t.ok('prompt_cache_key' in (openai.requests[0]!.body as object))
  const classic = await stage(t, { api: 'chat', apiVersion: '2024-02-01' })
  await classic.ask('azure/gpt-4o', more)
  t.notOk('prompt_cache_key' in (classic.requests[0]!.body as object), 'an old version knows no extension')
})

t.test('a stream opens with what was found of the prompt, and filters beside the text say nothing', async t => {
  const filters = { hate: { filtered: false, severity: 'safe' } }
  const opening = {
    choices: [],
    created: 0,
    id: '',
    model: '',
    object: '',
    prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
  }
  const chunk = (delta: object, more: object = {}): string =>
    sseFrame({
      id: 'x',
      model: 'gpt-4o-mini',
      choices: [{ index: 0, delta, content_filter_results: filters, finish_reason: null, ...more }],
    })
  const offsets = sseFrame({
    id: '',
    model: '',
    choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 }, content_filter_results: filters }],
  })
  const { ask } = await stage(t, { api: 'chat' }, () => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `${sseFrame(opening)}${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'Hel' })}${offsets}${chunk({ content: 'lo' })}${chunk({}, { finish_reason: 'content_filter' })}${sseFrame({ model: 'gpt-4o-mini', choices: [], usage })}${sseFrame('[DONE]')}`,
  }))
  const events = readEvents(await (await ask('azure/gpt-4o-mini', { stream: true })).text())
  t.match(events.at(-1), {
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'content_filter' }, output: [{ content: [{ text: 'Hello' }] }], usage: { input_tokens: 3 } },
  })
})

const filtered = {
  error: {
    message: 'The response was filtered due to the prompt triggering the content management policy.',
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: { violence: { filtered: true, severity: 'medium' } } },
  },
}

t.test('errors of the platform, whichever dialect was spoken', async t => {
  const failures = [
    { status: 400, body: JSON.stringify(filtered), kind: 'refused' },
    { status: 401, body: '{"error":{"code":"401","message":"Access denied due to invalid subscription key."}}', kind: 'auth' },
    { status: 401, body: '{"statusCode":401,"message":"Unauthorized. Access token is missing."}', kind: 'auth' },
    { status: 404, body: '{"error":{"code":"DeploymentNotFound","message":"The API deployment does not exist."}}', kind: 'not-found' },
    { status: 404, body: '{"error":{"code":"404","message":"Resource not found"}}', kind: 'not-found' },
    { status: 429, body: '{"error":{"code":"RateLimitReached","message":"Requests have exceeded the rate limit."}}', kind: 'rate-limit' },
    { status: 400, body: '{"error":{"code":"context_length_exceeded","message":"Too long."}}', kind: 'context-length' },
    { status: 503, body: '{"error":{"code":"ServiceUnavailable","message":"Busy."}}', kind: 'overloaded' },
    { status: 500, body: '{"error":{"code":"InternalServerError","message":"Sorry."}}', kind: 'unavailable' },
    { status: 502, body: '<html>Bad gateway</html>', kind: 'unavailable' },
  ] as const
  for (const own of [failureFrom, anthropicFailure]) {
    for (const { status, body, kind } of failures) t.equal(orOfPlatform(own)(status, {}, body).kind, kind, body)
    t.equal(orOfPlatform(own)(429, { 'retry-after-ms': '1500', 'retry-after': '9' }, failures[5].body).retryAfterMs, 1500)
    t.equal(
      orOfPlatform(own)(429, { 'retry-after-ms': '0', 'retry-after': '1' }, failures[5].body).retryAfterMs,
      1000,
      'no time at all is none told',
    )
  }
  const own = '{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}'
  t.equal(orOfPlatform(anthropicFailure)(529, {}, own).kind, 'overloaded', "the maker's own are the maker's")
  providerSuite(t, {
    adapter: { ...chatAdapter(current, { baseUrl: 'https://demo.openai.azure.com' }), failure: orOfPlatform(failureFrom) },
    examples: [
      {
        name: 'text',
        request: { model: 'gpt-4o', input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
      },
    ],
    failures,
  })
  const { ask } = await stage(t, {}, () => ({ status: 400, body: JSON.stringify(filtered) }))
  for (const model of ['azure/gpt-5', 'azure/claude-opus-4-5', 'azure/DeepSeek-V3.1']) {
    const reply = await ask(model)
    t.match([reply.status, await reply.json()], [400, { error: { code: 'invalid_prompt', message: /content management policy/ } }], model)
  }
})

t.test('a token of Microsoft Entra in place of a key', async t => {
  const { requests, ask } = await stage(t, { token: 'demo-entra-token' })
  for (const model of ['azure/gpt-5', 'azure/claude-opus-4-5']) await ask(model)
  for (const { headers } of requests)
    t.match(headers, { authorization: 'Bearer demo-entra-token', 'api-key': undefined, 'x-api-key': undefined })
})

t.test('a missing option is named at start, in one sentence', async t => {
  const refused = async (options: object, message: RegExp): Promise<void> =>
    void (await t.rejects(gateway({ plugins: [azure(options as Options)] }), { message }))
  await refused({ apiKey: 'demo' }, /azure.* needs the option resource, or baseUrl with the endpoint of the resource\./)
  await refused({ resource: 'demo' }, /needs exactly one of the options apiKey, token and entra\./)
  await refused({ resource: 'demo', apiKey: 'a', token: 'b' }, /exactly one/)
  await refused({ resource: 'demo', apiKey: 'b', entra: {} }, /exactly one/)
  const application = { tenantId: 'demo-tenant', clientId: 'demo-client' }
  const entra = (options: object): object => ({ resource: 'demo', entra: options })
  await refused(entra({ clientSecret: 'demo-secret' }), /needs the option entra\.tenantId and entra\.clientId with entra\.clientSecret\.$/)
  await refused(
    entra({ ...application, clientSecret: 'demo-secret', managedIdentity: true }),
    /takes only one of the options entra\.clientSecret, entra\.managedIdentity\.$/,
  )
  await refused(
    entra({ ...application, certificateFile: '/absent.pem' }),
    /cannot find the file \/absent\.pem of the option entra\.certificateFile\.$/,
  )
  await refused(entra({ managedIdentity: true, authority: 'http://login.example.com' }), /authority/)
  await refused({ resource: 'demo', apiKey: 'a', apiVersion: 'yesterday' }, /apiVersion/)
  await refused({ resource: 'demo', apiKey: 'a', deployments: { a: { api: 'soap' } } }, /deployments/)
})

t.test('a second upstream: its text, tools, streams and faults', async t => {
  const mock = new LLMock({ port: 0, logLevel: 'silent' })
  mock.onMessage('weather', { toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] })
  mock.onMessage('Hi', { content: 'Hello from the mock' })
  const url = await mock.start()
  t.teardown(() => mock.stop())
  const under = await gateway({
    plugins: [
      azure({ id: 'v1', baseUrl: url, apiKey: 'demo' }),
      azure({ id: 'classic', baseUrl: url, apiKey: 'demo', api: 'chat', apiVersion: '2024-10-21' }),
    ],
  })
  t.teardown(() => under.stop())
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }]
  for (const model of ['v1/gpt-4o', 'v1/DeepSeek-V3.1', 'classic/gpt-4o']) {
    for (const stream of [false, true]) {
      const read = async (body: JsonObject): Promise<unknown> => {
        const reply = await under.request('/v1/responses', { body: { model, stream, ...body } })
        if (!stream) return reply.json()
        return (readEvents(await reply.text()).at(-1) as unknown as { readonly response: unknown }).response
      }
      t.match(await read({ input: 'Hi' }), { status: 'completed', output: [{ content: [{ text: 'Hello from the mock' }] }] }, model)
      t.match(
        await read({ input: 'The weather?', tools }),
        { output: [{ type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' }] },
        model,
      )
    }
    mock.nextRequestError(429, { message: 'Slow down', type: 'rate_limit_error' })
    const limited = await under.request('/v1/responses', { body: { model, input: 'Hi' } })
    t.equal(limited.status, 429, model)
  }
})

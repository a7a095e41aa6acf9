import { join } from 'node:path'
import t from 'tap'
import { Providers, type GenerationEvent, type Provider } from '../../../core/index.ts'
import type { UpstreamRequestBody } from '../../../core/kit.ts'
import { checkGenerationEvents, providerCall } from '../../../core/testing/index.ts'
import aiSdk from '../../../plugins/providers/ai-sdk/index.ts'
import { idOf } from '../../../plugins/providers/ai-sdk/id.ts'
import { script } from '../../fixtures/ai-sdk/scripted.ts'
import { setUp } from '../../kit/set-up.ts'

// The bridge on models that the test scripts. The tests next to this one use real packages.

const scripted = join(import.meta.dirname, '../../fixtures/ai-sdk/scripted.ts')
const user = (text: string): UpstreamRequestBody['input'][number] => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
})
const v4Finish = (unified = 'stop', raw: string | null = 'stop', more: object = {}): object => ({
  type: 'finish',
  finishReason: { unified, raw: raw ?? undefined },
  usage: {
    inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
    outputTokens: { total: 7, text: 4, reasoning: 3 },
    raw: { cache_creation: { ephemeral_1h_input_tokens: 1 } },
  },
  ...more,
})
const v2Finish = (finishReason = 'stop'): object => ({
  type: 'finish',
  finishReason,
  usage: { inputTokens: 10, outputTokens: 7, totalTokens: 17, cachedInputTokens: 5, reasoningTokens: 3 },
})
const hello = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Hello' },
  { type: 'text-end', id: '1' },
] as const

const providers = new Map<string, Promise<Provider>>()

/** The provider of these options; one that was set up once is used again. */
function bridged(options: Scene['options'] = {}): Promise<Provider> {
  const key = JSON.stringify(options)
  const provider =
    providers.get(key) ?? setUp([aiSdk({ package: scripted, ...options })]).then(({ container }) => container.get(Providers).values()[0]!)
  providers.set(key, provider)
  return provider
}

interface Heard {
  readonly events: readonly GenerationEvent[]
  readonly failure: { readonly kind?: string; readonly message: string; readonly upstream?: string; readonly cause?: unknown } | undefined
}

interface Scene {
  readonly version?: string
  readonly provider?: string
  readonly error?: unknown
  readonly supportedUrls?: Record<string, RegExp[]>
  readonly request?: Partial<UpstreamRequestBody>
  readonly options?: Partial<Parameters<typeof aiSdk>[0]>
  readonly signal?: AbortSignal
}

async function hear(parts: readonly object[], scene: Scene = {}): Promise<Heard> {
  const { version = 'v4', provider = 'demo.chat', error, supportedUrls = {}, request, options, signal } = scene
  Object.assign(script, { version, provider, parts, error, supportedUrls })
  const provided = await bridged(options)
  const events: GenerationEvent[] = []
  const call = providerCall({ model: 'any', stream: true, input: [user('hi')], ...request }, { ...(signal && { signal }) })
  try {
    for await (const each of provided.generate(call)) events.push(...[each].flat())
    return { events, failure: undefined }
  } catch (failure) {
    return { events, failure: failure as Error }
  }
}

async function asked(request: Partial<UpstreamRequestBody>, scene: Scene = {}): Promise<Record<string, any>> {
  const { failure } = await hear([...hello, scene.version === 'v2' ? v2Finish() : v4Finish()], { ...scene, request })
  if (failure) throw failure
  const { abortSignal, ...call } = script.calls.at(-1)!
  t.ok(abortSignal instanceof AbortSignal)
  return call
}

t.test('ids follow from the package', async t => {
  for (const [name, id] of [
    ['@ai-sdk/groq', 'groq'],
    ['@openrouter/ai-sdk-provider', 'openrouter'],
    ['ollama-ai-provider-v2', 'ollama'],
    ['workers-ai-provider', 'workers'],
    ['ai-sdk-groq-v2', 'groq-v2'],
    ['./my-provider.ts', 'my-provider'],
  ] as const)
    t.equal(idOf(name), id, name)
})

t.test('a mistake at start is one sentence that says what to do', async t => {
  const twoFactories = join(scripted, '../two-factories.ts')
  for (const [options, message] of [
    [
      { package: '@ai-sdk/absent' },
      'plugin ai-sdk(absent) needs the package @ai-sdk/absent, which is not installed: npm install @ai-sdk/absent',
    ],
    [{ package: './absent.ts' }, /^plugin ai-sdk\(absent\) found no module \.\/absent\.ts in .+\. Correct the option package\.$/],
    [
      { package: '@ai-sdk/groq', export: 'createGrog' },
      /found no export "createGrog" in the package @ai-sdk\/groq, which exports .*createGroq, groq/,
    ],
    [{ package: twoFactories }, /several exports in .* that may create a provider: createOther, createScripted\. Set the option export\.$/],
    [{ package: scripted, export: 'nothing' }, /exports neither a provider nor a function that creates one under that name$/],
    [{ package: scripted, export: 'throwing' }, /cannot set up .*: The region is missing\.$/],
    [{ package: scripted, method: 'responses' }, /creates a provider without the method "responses": set the option method$/],
    [
      { package: scripted, export: 'ready', apiKey: 'sk-demo-1' },
      /exports a ready provider, which does not take apiKey, baseUrl and settings: set them where you create it$/,
    ],
    [
      { package: scripted, export: 'ready', method: 'embedding' },
      /does not create a language model with that method: set the option method$/,
    ],
    [{}, /has bad options: package is missing/],
    [{ package: '@ai-sdk/groq', setings: {} }, /setings; did you mean settings\?/],
  ] as const)
    await t.rejects(setUp([aiSdk(options as never)]), { message }, JSON.stringify(options))
  script.version = 'v5'
  await t.rejects(setUp([aiSdk({ package: scripted, id: 'demo' })]), {
    message:
      /^plugin ai-sdk\(demo\) cannot use .*: it creates models of specification "v5", but only v2, v3, v4 are supported: install another release of the package$/,
  })
  script.version = 'v4'
})

t.test('a factory gets the settings, a key each; a ready provider is taken as it is', async t => {
  script.settings.length = 0
  await setUp([
    aiSdk({ package: scripted, apiKey: ['sk-demo-1', 'sk-demo-2'], baseUrl: 'http://127.0.0.1:9/v1', settings: { region: 'demo-1' } }),
  ])
  t.match(script.settings, [
    { apiKey: 'sk-demo-1', baseURL: 'http://127.0.0.1:9/v1', region: 'demo-1', fetch: Function },
    { apiKey: 'sk-demo-2', baseURL: 'http://127.0.0.1:9/v1', region: 'demo-1', fetch: Function },
  ])
  const { events } = await hear([...hello, v4Finish()], { options: { export: 'ready', method: 'chat', headers: { 'x-demo': 'yes' } } })
  t.match(events.at(-1), { type: 'finish', reason: 'stop' })
  t.same(script.calls.at(-1)!.headers, { 'x-demo': 'yes' })
})

t.test('parts of a stream become events', async t => {
  const { events } = await hear([
    {
      type: 'stream-start',
      warnings: [
        { type: 'unsupported', feature: 'topP' },
        { type: 'deprecated', setting: 'seed', message: 'Gone.' },
      ],
    },
    { type: 'response-metadata', id: 'r1', modelId: 'demo-model-7' },
    { type: 'ping' },
    { type: 'a-part-of-tomorrow', id: 'x' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { demo: { nothing: null } } },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Rome is old' },
    {
      type: 'text-end',
      id: 't',
      citations: [
        {
          source: { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/rome', title: 'Rome' },
          startIndex: 0,
          endIndex: 4,
        },
      ],
    },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/rome', title: 'Rome' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
    { type: 'tool-input-start', id: 'a', toolName: 'look' },
    { type: 'tool-input-delta', id: 'a', delta: '{"x"' },
    { type: 'tool-input-start', id: 'v', toolName: 'search', providerExecuted: true },
    { type: 'tool-input-delta', id: 'v', delta: '{}' },
    { type: 'tool-input-delta', id: 'a', delta: ':1' },
    { type: 'tool-input-end', id: 'a' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":1}' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'wait', input: 'null' },
    { type: 'tool-call', toolCallId: 'v', toolName: 'search', input: '{}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'v', toolName: 'search', result: {} },
    v4Finish(),
  ])
  t.same(events, [
    { type: 'warning', param: 'top_p', message: 'is not supported by this provider and was left out' },
    { type: 'warning', param: 'seed', message: 'Gone.' },
    { type: 'model', model: 'demo-model-7' },
    { type: 'reasoning', text: 'Hm.', form: 'full' },
    { type: 'item-end' },
    { type: 'text', text: 'Rome is old' },
    { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/rome', title: 'Rome' }, start: 0, end: 4 },
    { type: 'tool-call', key: 'a', callId: 'a', name: 'look' },
    { type: 'tool-input', key: 'a', text: '{"x"' },
    { type: 'tool-input', key: 'a', text: ':1' },
    { type: 'tool-input', key: 'a', text: '}' },
    { type: 'tool-call', key: 'b', callId: 'b', name: 'wait' },
    { type: 'tool-input', key: 'b', text: '{}' },
    { type: 'usage', usage: { uncachedInput: 4, cacheRead: 5, cacheWrite5m: 0, cacheWrite1h: 1, output: 7, reasoning: 3 } },
    { type: 'finish', reason: 'tool-calls' },
  ])
  checkGenerationEvents(events)
})

t.test('a source without a place stands for the text that it came with, unless a search of the vendor found it', async t => {
  const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/a' }
  const annotation = { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/a', title: '' }, start: 0, end: 5 }
  for (const parts of [
    [source, ...hello.slice(1)],
    [...hello.slice(1), source],
  ])
    t.match((await hear([...parts, v4Finish()])).events, [{ type: 'text' }, annotation, { type: 'usage' }, { type: 'finish' }])
  const searched = { type: 'tool-call', toolCallId: 'v', toolName: 'search', input: '{}', providerExecuted: true }
  const { events } = await hear([searched, source, ...hello.slice(1), v4Finish()])
  t.same(
    events.map(({ type }) => type),
    ['text', 'usage', 'finish'],
  )
})

t.test('reasons to stop and counts, in the form of each version', async t => {
  const ends = async (version: string, finish: object): Promise<unknown> => {
    const { events, failure } = await hear([...hello, finish], { version })
    return failure ? failure.kind : events.find(({ type }) => type === 'finish')?.['reason' as never]
  }
  for (const version of ['v3', 'v4'])
    for (const [unified, raw, expected] of [
      ['stop', null, 'stop'],
      ['length', 'max', 'length'],
      ['content-filter', 'x', 'content-filter'],
      ['tool-calls', 'x', 'tool-calls'],
      ['other', 'pause', 'stop'],
      ['other', null, undefined],
      ['interrupted', null, undefined],
      ['error', 'x', 'unavailable'],
    ] as const)
      t.equal(await ends(version, v4Finish(unified, raw)), expected, `${version} ${unified} ${raw}`)
  for (const [reason, expected] of [
    ['stop', 'stop'],
    ['length', 'length'],
    ['other', 'stop'],
    ['unknown', undefined],
    ['error', 'unavailable'],
  ] as const)
    t.equal(await ends('v2', v2Finish(reason)), expected, `v2 ${reason}`)
  t.equal(await ends('v4', { type: 'text-end', id: 'none' }), undefined, 'a stream without a finish is none')
  t.equal(
    (await hear([v4Finish('stop', null)])).events.some(({ type }) => type === 'finish'),
    false,
    'nothing for no reason is no answer',
  )

  const counts = async (scene: Scene, finish: object): Promise<unknown> =>
    (await hear([...hello, finish], scene)).events.find(({ type }) => type === 'usage')?.['usage' as never]
  const flat = { cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 5, output: 7, reasoning: 3 }
  t.same(await counts({ version: 'v2' }, v2Finish()), { uncachedInput: 5, ...flat })
  t.same(await counts({ version: 'v2', provider: 'anthropic.messages' }, v2Finish()), { uncachedInput: 10, ...flat })
  const unknown = { inputTokens: {}, outputTokens: {} }
  t.equal(await counts({}, v4Finish('stop', 'stop', { usage: unknown })), undefined)
})

t.test('replies that do not stream', async t => {
  const { type: _, ...end } = v4Finish() as { type: string }
  const source = { type: 'source', sourceType: 'document', id: 's', mediaType: 'text/plain', title: 'A paper' }
  const content = [
    { type: 'reasoning', text: 'Hm.', providerMetadata: { demo: { signature: 'c2ln' } } },
    { type: 'text', text: 'Hello' },
    source,
    { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"x":1}' },
  ]
  const { events } = await hear(
    [{ content, response: { modelId: 'demo-model-7' }, warnings: [{ type: 'other', message: 'Careful.' }], ...end }],
    {
      request: { stream: false },
    },
  )
  t.match(events, [
    { type: 'warning', param: 'input', message: 'Careful.' },
    { type: 'model', model: 'demo-model-7' },
    { type: 'reasoning', text: 'Hm.' },
    { type: 'reasoning-state' },
    { type: 'text', text: 'Hello' },
    { type: 'tool-call', name: 'look' },
    { type: 'tool-input', text: '{"x":1}' },
    { type: 'usage' },
    { type: 'finish', reason: 'tool-calls' },
  ])
  const file = [{ type: 'file', mediaType: 'image/png', data: 'aGk=' }]
  t.match((await hear([{ content: file, ...end }], { request: { stream: false } })).failure, { kind: 'protocol', message: /only a file/ })
})

t.test('state of thoughts, texts and calls goes back byte by byte', async t => {
  const metadata = (value: string): object => ({ google: { thoughtSignature: `${value}+/=\u00e9` } })
  const { events } = await hear(
    [
      { type: 'reasoning-start', id: 'r', providerMetadata: { google: { itemId: '1' } } },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: metadata('A') },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'So:' },
      { type: 'text-end', id: 't', providerMetadata: metadata('B') },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}', providerMetadata: metadata('C') },
      { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: '{}' },
      v4Finish(),
    ],
    { provider: 'google.generative-ai' },
  )
  const states = events.flatMap(event => (event.type === 'reasoning-state' ? event.opaque : []))
  t.equal(states.length, 3)
  const reasoning = (encrypted_content: string | undefined, text?: string): object => ({
    type: 'reasoning',
    summary: [],
    ...(text && { content: [{ type: 'reasoning_text', text }] }),
    ...(encrypted_content && { encrypted_content }),
  })
  const input = [
    user('hi'),
    reasoning(states[0], 'reworded'),
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So:' }] },
    reasoning(states[1]),
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'look', arguments: '{}' },
    reasoning(states[2]),
    { type: 'function_call_output', call_id: 'a', output: 'one' },
    { type: 'function_call_output', call_id: 'b', output: 'two', status: 'failed' },
  ] as UpstreamRequestBody['input']
  const { prompt } = await asked({ input }, { provider: 'google.generative-ai' })
  t.same(prompt.slice(1), [
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: { google: { itemId: '1', thoughtSignature: 'A+/=\u00e9' } } },
        { type: 'text', text: 'So:', providerOptions: metadata('B') },
        { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {}, providerOptions: metadata('C') },
        { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'text', value: 'one' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 'look', output: { type: 'error-text', value: 'two' } },
      ],
    },
  ])
  const others = [user('hi'), reasoning(undefined, 'Visible.'), ...input.slice(2, 3), user('go on')] as UpstreamRequestBody['input']
  t.match((await asked({ input: others })).prompt[1].content, [{ type: 'reasoning', text: 'Visible.' }, { type: 'text' }])
  const signed = await asked({ input: others }, { provider: 'anthropic.messages' })
  t.match(signed.prompt[1].content, [{ type: 'text' }], 'a vendor that signs its thoughts gets no unsigned ones')
})

t.test('the conversation', async t => {
  const message = (role: string, ...texts: string[]): object => ({
    type: 'message',
    role,
    content: texts.map(text => ({ type: 'input_text', text })),
  })
  const input = [
    message('developer', 'Be brief.'),
    user('hi'),
    message('system', 'Be kind.'),
    message('assistant', 'Yes.'),
    message('assistant', 'And?'),
  ]
  const conversation = { instructions: 'Be good.', input: input as UpstreamRequestBody['input'] }
  const told = [
    { role: 'system', content: 'Be good.' },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ]
  const said = ['Yes.', 'And?'].map(text => ({ role: 'assistant', content: [{ type: 'text', text }] }))
  const marked = { role: 'user', content: [{ type: 'text', text: '<system>\nBe kind.\n</system>' }] }
  t.same((await asked(conversation)).prompt, [...told, marked, ...said])
  t.same((await asked(conversation, { provider: 'groq.chat' })).prompt, [...told, { role: 'system', content: 'Be kind.' }, ...said])
  t.same((await asked({ input: input.slice(0, 1) as UpstreamRequestBody['input'] })).prompt, [
    { role: 'user', content: [{ type: 'text', text: 'Be brief.' }] },
  ])
  const cut = [
    user('hi'),
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{"x' },
    { type: 'function_call_output', call_id: 'a', output: '' },
  ]
  t.match((await asked({ input: cut as UpstreamRequestBody['input'] })).prompt[1].content, [
    { type: 'tool-call', input: { arguments: '{"x' } },
  ])
  const foreign = [{ type: 'computer_call' }] as unknown as UpstreamRequestBody['input']
  t.match((await hear([], { request: { input: foreign } })).failure, {
    kind: 'invalid-request',
    message: /^Items of type computer_call cannot be sent/,
  })
})

t.test('images and files, in the form of each version', async t => {
  const image = { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'low' }
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' }
  const note = { type: 'input_file', filename: 'a.md', file_data: 'aGk=' }
  const input = [
    { type: 'message', role: 'user', content: [image, file, note] },
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'Seen.' }, image, file] },
  ] as UpstreamRequestBody['input']
  const data = { type: 'data', data: 'aGk=' }
  const text = { type: 'text', text: 'a.md:\nhi' }
  const v4 = await asked({ input })
  const files = [
    { type: 'file', mediaType: 'image/png', data },
    { type: 'file', mediaType: 'application/pdf', data, filename: 'a.pdf' },
  ]
  t.same(v4.prompt[0].content, [...files, text])
  t.same(v4.prompt[2].content[0].output, { type: 'text', value: 'Seen.' })
  t.same(v4.prompt[3], { role: 'user', content: [{ type: 'text', text: 'Result of the tool call a:' }, ...files] })
  const flat = files.map(each => ({ ...each, data: 'aGk=' }))
  for (const version of ['v2', 'v3']) t.same((await asked({ input }, { version })).prompt[0].content, [...flat, text], version)

  const outputs = async (version: string): Promise<unknown> =>
    (await asked({ input }, { version, provider: 'anthropic.messages' })).prompt[2].content[0].output.value
  const seen = { type: 'text', text: 'Seen.' }
  t.same(await outputs('v4'), [seen, ...files])
  t.same(await outputs('v3'), [
    seen,
    { type: 'image-data', mediaType: 'image/png', data: 'aGk=' },
    { type: 'file-data', mediaType: 'application/pdf', data: 'aGk=', filename: 'a.pdf' },
  ])
  t.same(await outputs('v2'), [seen, ...['image/png', 'application/pdf'].map(mediaType => ({ type: 'media', mediaType, data: 'aGk=' }))])
  t.match((await asked({ input }, { provider: 'openai.responses' })).prompt[0].content[0], {
    providerOptions: { openai: { imageDetail: 'low' } },
  })

  const url = { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'https://Example.com/A.png' }] }
  const byUrl = await asked(
    { input: [url] as UpstreamRequestBody['input'] },
    { supportedUrls: { 'image/*': [/^https:\/\/example\.com\//g] } },
  )
  t.match(byUrl.prompt[0].content[0], { mediaType: 'image/*', data: { type: 'url', url: new URL('https://Example.com/A.png') } })
  for (const part of [
    { type: 'input_image', file_id: 'f' },
    { type: 'input_file', file_id: 'f' },
  ]) {
    const unknown = [{ type: 'message', role: 'user', content: [part] }] as UpstreamRequestBody['input']
    t.match((await hear([], { request: { input: unknown } })).failure, { kind: 'invalid-request', message: /does not store files/ })
  }
})

t.test('settings, tools and formats', async t => {
  const schema = { type: 'object', properties: {} }
  const request = {
    max_output_tokens: 9,
    temperature: 0.5,
    top_p: 0.9,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    reasoning: { effort: 'xhigh', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'demo', schema, description: 'A demo.', strict: true } },
    tools: [{ type: 'function', name: 'look', description: 'Looks.', strict: true }],
    tool_choice: { type: 'function', name: 'look' },
    parallel_tool_calls: false,
    service_tier: 'flex',
  } as Partial<UpstreamRequestBody>
  const { prompt: _, ...v4 } = await asked(request)
  const tool = { type: 'function', name: 'look', description: 'Looks.', inputSchema: schema }
  const same = {
    maxOutputTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    responseFormat: { type: 'json', schema, name: 'demo', description: 'A demo.' },
    toolChoice: { type: 'tool', toolName: 'look' },
  }
  t.same(v4, { ...same, reasoning: 'xhigh', tools: [{ ...tool, strict: true }] })
  const { prompt: _2, ...v2 } = await asked(request, {
    version: 'v2',
    provider: 'groq.chat',
    options: { providerOptions: { groq: { user: 'demo' } } },
  })
  t.same(v2, {
    ...same,
    tools: [tool],
    providerOptions: { groq: { parallelToolCalls: false, strictJsonSchema: true, reasoningEffort: 'high', user: 'demo' } },
  })
  t.same((await asked(request, { provider: 'openai.responses' })).providerOptions, {
    openai: { store: false, parallelToolCalls: false, serviceTier: 'flex', reasoningSummary: 'auto', strictJsonSchema: true },
  })
  t.same((await asked(request, { provider: 'anthropic.messages' })).providerOptions, { anthropic: { disableParallelToolUse: true } })
  t.same((await asked({ tool_choice: 'required', text: { format: { type: 'json_object' } } })).responseFormat, { type: 'json' })
  const { events } = await hear([...hello, v4Finish()], { version: 'v3', request: { ...request, text: { verbosity: 'low' } } })
  t.same(
    events.flatMap(event => (event.type === 'warning' ? event.param : [])),
    ['parallel_tool_calls', 'text.verbosity', 'reasoning.effort'],
  )
})

t.test('failures', async t => {
  const named = (name: string, message: string, more: object = {}): Error => Object.assign(new Error(message), { name, ...more })
  const api = (statusCode: number | undefined, message: string, more: object = {}): Error =>
    named('AI_APICallError', message, { statusCode, requestBodyValues: { secret: 'content' }, ...more })
  for (const [error, expected] of [
    [api(400, 'Bad.'), { kind: 'invalid-request', status: 400, message: 'Bad.', cause: undefined }],
    [api(400, 'This model has a maximum context length of 8 tokens.'), { kind: 'context-length', code: undefined }],
    [api(429, 'Slow down.', { responseHeaders: { 'retry-after': '7' } }), { kind: 'rate-limit', retryAfterMs: 7000 }],
    [api(429, 'No.', { responseBody: '{"error":{"code":"insufficient_quota"}}' }), { kind: 'quota' }],
    [api(429, 'No.', { responseHeaders: { 'retry-after-ms': '70' } }), { kind: 'rate-limit', retryAfterMs: 70 }],
    [
      api(429, '', { responseHeaders: { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT', date: 'Thu, 01 Jan 2026 00:00:01 GMT' } }),
      { kind: 'rate-limit', retryAfterMs: 8000, message: 'The provider answered with status 429.' },
    ],
    [
      api(502, '<html>', { responseBody: `<html>${'x'.repeat(9000)}` }),
      { kind: 'unavailable', message: 'The provider answered with status 502.' },
    ],
    [api(200, 'Invalid JSON response', { responseBody: '<html>' }), { kind: 'protocol', upstream: '<html>' }],
    [api(302, ''), { kind: 'protocol', message: /redirect \(302\)/ }],
    [api(undefined, 'Cannot connect to API: x'), { kind: 'network' }],
    [api(undefined, 'Never.', { isRetryable: false }), { kind: 'invalid-request' }],
    [named('AI_LoadAPIKeyError', 'A key is missing.'), { kind: 'auth' }],
    [named('AI_UnsupportedFunctionalityError', "'files' functionality not supported."), { kind: 'invalid-request', message: /files/ }],
    [named('AI_NoSuchModelError', 'No such languageModel: x'), { kind: 'not-found' }],
    [
      named('AI_TypeValidationError', 'Type validation failed: {"long": 1}'),
      { kind: 'protocol', upstream: /long/, message: /cannot parse/ },
    ],
    [named('Error', 'reset', { code: 'ECONNRESET' }), { kind: 'network', message: /ECONNRESET/ }],
    [named('TypeError', 'x is undefined'), { kind: 'protocol', message: 'The package of this provider failed with TypeError.' }],
  ] as const) {
    const { failure } = await hear(hello, { error })
    t.match(failure, expected, error.message)
    t.equal(failure?.cause, undefined)
  }
  for (const [error, expected] of [
    ['Something broke.', { kind: 'unavailable', message: 'Something broke.' }],
    [
      { type: 'overloaded_error', message: 'Overloaded' },
      { kind: 'overloaded', message: 'Overloaded' },
    ],
    [
      { message: 'Wait.', statusCode: 429, data: { error: {} } },
      { kind: 'rate-limit', upstream: '{"error":{}}' },
    ],
    [{ error: { message: 'Deep.', type: 'invalid_request_error' } }, { kind: 'invalid-request', message: 'Deep.' }],
  ] as const) {
    const { events, failure } = await hear([...hello, { type: 'error', error }, v4Finish('error')])
    t.match(failure, expected, JSON.stringify(error))
    t.same(
      events.map(({ type }) => type),
      ['text'],
    )
  }
})

t.test('an abort ends a package that does not watch its signal', async t => {
  const controller = new AbortController()
  const reason = new Error('enough')
  setImmediate(() => controller.abort(reason))
  const { events, failure } = await hear(hello, { error: 'never', signal: controller.signal })
  t.equal(failure, reason)
  t.match(events, [{ type: 'text', text: 'Hello' }])
})

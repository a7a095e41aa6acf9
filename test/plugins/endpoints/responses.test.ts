import t from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { foreignItemTypes } from '../../../core/kit.ts'
import { checkResponse, checkStream, readEvents } from '../../../core/testing/index.ts'
import { parseRequest } from '../../../plugins/endpoints/responses/parse.ts'
import { newResponse } from '../../../plugins/endpoints/responses/response-object.ts'
import { ask, stop, text, usage, witness } from '../../kit/stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { clientRequests } from './client-requests.ts'

const hi = { model: 'acme/m', input: 'hi' }

/** The items of an input after parsing. */
function items(...input: readonly object[]): readonly unknown[] {
  return parsed({ model: 'm', input }).input
}

/** As plain data: members that are undefined are gone. */
function parsed(body: object): Record<string, any> {
  return JSON.parse(JSON.stringify(parseRequest(JSON.parse(JSON.stringify(body))).body))
}

t.test('an input is brought into one form', t => {
  const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }
  t.same(parsed(hi).input, [message])
  t.same(items({ role: 'user', content: 'hi' }), [message], 'a role without a type is a message')
  t.same(items({ type: null, id: null, status: null, phase: null, role: 'user', content: 'hi' }), [message])
  t.same(items({ role: 'assistant', content: 'hi' }), [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
  ])
  t.same(items({ id: 'msg_1' }), [{ type: 'item_reference', id: 'msg_1' }])
  t.same(items({ id: 'msg_1', type: null }), [{ type: 'item_reference', id: 'msg_1' }])
  t.end()
})

t.test('every shape of item and part is accepted, and reaches the provider as it is', async t => {
  const png = 'data:image/png;base64,iVBORw0KGgo='
  const accepted: readonly object[] = [
    ...['user', 'system', 'developer'].map(role => ({
      type: 'message',
      role,
      content: [
        { type: 'input_text', text: 'look' },
        ...['low', 'high', 'auto', 'original'].map(detail => ({ type: 'input_image', image_url: png, detail })),
        { type: 'input_image', file_id: 'file_1' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        { type: 'input_file', file_url: 'https://example.com/a.pdf' },
        { type: 'input_text', text: 'cached', prompt_cache_breakpoint: { mode: 'explicit' } },
      ],
    })),
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      phase: 'commentary',
      content: [
        { type: 'output_text', text: 'said', annotations: [], logprobs: [] },
        { type: 'output_text', text: 'bare' },
        { type: 'refusal', refusal: 'no' },
        { type: 'input_text', text: 'as some clients replay it' },
      ],
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{}', status: 'completed', namespace: 'n' },
    { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'text', status: 'completed' },
    { type: 'function_call', call_id: 'call_2', name: 'f', arguments: '' },
    {
      type: 'function_call_output',
      call_id: 'call_2',
      output: [
        { type: 'input_text', text: 'x' },
        { type: 'input_image', image_url: png },
      ],
    },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_3', name: 'apply_patch', input: '*** Begin', status: 'completed' },
    { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_3', output: 'done' },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], content: [{ type: 'reasoning_text', text: 'Hm!' }] },
    { type: 'reasoning', summary: [] },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'cats', sources: [] } },
    ...foreignItemTypes.map(type => ({ type, id: 'x_1', anything: { goes: true } })),
  ]
  const capabilities = { customTools: true, namespaceTools: true, builtInTools: true }
  const acme = witness('acme', () => hello, { capabilities })
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { status } = await ask(under, { ...hi, input: accepted })
  t.equal(status, 200)
  t.same(JSON.parse(JSON.stringify(acme.calls[0]!.request.input)), accepted)
  t.end()
})

t.test('null is absent, wherever clients send it', async t => {
  const nulls = [
    'include instructions max_output_tokens metadata reasoning stream temperature top_p text tools tool_choice parallel_tool_calls',
    'previous_response_id prompt_cache_key prompt_cache_options prompt_cache_retention top_logprobs background context_management',
    'conversation max_tool_calls prompt safety_identifier service_tier store stream_options truncation user routing cache_control',
    'presence_penalty frequency_penalty something_new',
  ].flatMap(names => names.split(' '))
  t.same(parsed({ ...hi, ...Object.fromEntries(nulls.map(name => [name, null])) }), parsed(hi))
  t.same(
    parsed({
      ...hi,
      reasoning: { effort: null, summary: null, generate_summary: null },
      text: { format: null, verbosity: null },
      stream_options: { include_obfuscation: null },
      routing: { model: null, provider: { fallbacks: null, sort: null, interval: null } },
    }),
    { ...parsed(hi), reasoning: {}, text: {}, stream_options: {}, routing: { provider: {} } },
  )
  t.same(
    items(
      { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png', file_id: null, detail: null }] },
      { role: 'user', content: [{ type: 'input_file', file_id: 'f', file_data: null, file_url: null, filename: null }] },
      { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null, status: null },
      { type: 'function_call', id: null, status: null, call_id: 'c', name: 'f', arguments: '{}' },
      {
        type: 'function_call_output',
        id: null,
        status: null,
        call_id: 'c',
        output: [{ type: 'input_image', file_id: 'f', image_url: null }],
      },
    ),
    [
      { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_file', file_id: 'f' }] },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', file_id: 'f' }] },
    ],
  )
  t.same(
    parsed({
      ...hi,
      tools: [
        { type: 'function', name: 'f', description: null, parameters: null, strict: null },
        {
          type: 'web_search',
          filters: { allowed_domains: null },
          user_location: { country: null },
          search_context_size: null,
          engine: null,
        },
        { type: 'web_search', filters: null, user_location: null },
      ],
    }).tools,
    [{ type: 'function', name: 'f' }, { type: 'web_search', filters: {}, user_location: {} }, { type: 'web_search' }],
  )
  t.end()
})

t.test('empties, unknown members and the habits of clients are accepted', async t => {
  t.match(parsed({ ...hi, include: [], tools: [], text: {}, stream: false, metadata: {} }), {
    include: [],
    tools: [],
    text: {},
    stream: false,
  })
  t.same(parsed({ ...hi, client_metadata: {}, personality: 'x', moderation: null }).extra, {
    dialect: 'openai-responses',
    fields: { client_metadata: {}, personality: 'x' },
  })
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const [client, request] of Object.entries(clientRequests)) {
    const { status, response } = await ask(under, request)
    t.equal(status, 200, client)
    t.equal(response.status, 'completed')
  }
  const { tools } = (await ask(under, clientRequests.langchain)).response
  t.match(tools, [{ type: 'function', name: 'f', description: null, strict: false }])
})

t.test('a tool choice takes every form, and must be possible', async t => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c' },
    { type: 'web_search_preview' },
    { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'nested' }] },
    { type: 'mcp', server_label: 's', server_url: 'https://example.com/mcp' },
  ]
  const choose = (tool_choice: unknown) => parsed({ ...hi, tools, tool_choice }).tool_choice
  for (const choice of [
    'none',
    'auto',
    'required',
    { type: 'function', name: 'f' },
    { type: 'function', name: 'nested' },
    { type: 'custom', name: 'c' },
    { type: 'web_search' },
    { type: 'mcp', server_label: 's' },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }] },
  ])
    t.same(choose(choice), choice)
  for (const type of ['web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11']) {
    t.same(parsed({ ...hi, tools: [{ type }], tool_choice: { type } }).tool_choice, { type: 'web_search' })
    t.same(choose({ type: 'allowed_tools', mode: 'auto', tools: [{ type }] }).tools, [{ type: 'web_search' }])
  }
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const refused = async (tool_choice: unknown): Promise<void> => {
    const { status, error } = await ask(under, { ...hi, tools, tool_choice })
    t.equal(status, 400)
    t.match(error.param, /^tool_choice/, JSON.stringify(tool_choice))
  }
  for (const impossible of [
    { type: 'function', name: 'g' },
    { type: 'function' },
    { type: 'custom', name: 'f' },
    { type: 'code_interpreter' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] },
    { type: 'allowed_tools', mode: 'auto', tools: [] },
    'always',
  ])
    await refused(impossible)
  for (const stream of [true, false]) {
    const { response } = await ask(under, {
      ...hi,
      tools: [{ type: 'function', name: 'f' }],
      tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'f' }] },
      stream,
    })
    t.match(response['tool_choice'], { type: 'allowed_tools', mode: 'auto' }, 'the echo has a mode')
  }
  const older = { type: 'web_search_preview' }
  for (const tool_choice of [older, { type: 'allowed_tools', mode: 'auto', tools: [older, { type: 'function', name: 'f' }] }]) {
    const { body } = parseRequest(structuredClone({ ...hi, tools: [older, { type: 'function', name: 'f' }], tool_choice }))
    const response = newResponse('resp_1', 0, body)
    t.same(response['tool_choice'], tool_choice, 'as sent')
    t.match(response['tools'], [older, { type: 'function' }])
  }
})

t.test('the response echoes the request, with concrete values for omitted parameters', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const bare = (await ask(under, hi)).response
  t.match(bare, {
    object: 'response',
    tools: [],
    tool_choice: 'auto',
    truncation: 'disabled',
    parallel_tool_calls: true,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    top_p: 1,
    temperature: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    background: false,
    service_tier: 'default',
    metadata: {},
    instructions: null,
    reasoning: null,
    error: null,
    incomplete_details: null,
  })
  const asked = {
    // Else it would run in the background.
    store: false,
    background: true,
    instructions: 'Be brief.',
    max_output_tokens: 7,
    max_tool_calls: 3,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    prompt: { id: 'p', version: '1', variables: {} },
    prompt_cache_key: 'k',
    prompt_cache_options: { ttl: '12h' },
    prompt_cache_retention: 'in-memory',
    safety_identifier: 's',
    service_tier: 'scale',
    temperature: 0,
    top_p: 0,
    presence_penalty: -2,
    frequency_penalty: 2,
    top_logprobs: 20,
    truncation: 'auto',
    user: 'u',
    text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } }, verbosity: 'high' },
  }
  for (const stream of [true, false]) t.match((await ask(under, { ...hi, ...asked, stream })).response, asked)
  t.same((await ask(under, { ...hi, reasoning: { effort: 'max' } })).response['reasoning'], { effort: 'max', summary: null })
  const both = { summary: 'concise', generate_summary: 'detailed' }
  t.same((await ask(under, { ...hi, reasoning: both })).response['reasoning'], { effort: null, summary: 'concise' })
})

const place = { output_index: 0, item_id: /^msg_/, content_index: 0 }

t.test('a text answer has its events in the documented order, and no other', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  for (const path of ['/v1/responses', '/v1/responses/']) {
    const reply = await under.request(path, { body: { ...hi, stream: true } })
    t.equal(reply.status, 200)
    t.match(Object.fromEntries(reply.headers), { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-request-id': /./ })
    const got = await reply.text()
    checkStream(got)
    t.match(
      readEvents(got).map(({ sequence_number: _, ...event }) => event),
      [
        { type: 'response.created', response: { status: 'in_progress', model: 'acme/m', output: [], usage: null } },
        { type: 'response.in_progress', response: { status: 'in_progress' } },
        { type: 'response.output_item.added', output_index: 0, item: { type: 'message', status: 'in_progress', content: [] } },
        { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
        { type: 'response.output_text.delta', ...place, delta: 'Hel' },
        { type: 'response.output_text.delta', ...place, delta: 'lo' },
        { type: 'response.output_text.done', ...place, text: 'Hello' },
        { type: 'response.content_part.done', ...place, part: { type: 'output_text', text: 'Hello' } },
        { type: 'response.output_item.done', output_index: 0, item: { status: 'completed' } },
        { type: 'response.completed', response: { status: 'completed', usage: { total_tokens: 5 } } },
      ],
    )
    t.equal((await under.request(path, { body: hi })).headers.get('content-type'), 'application/json')
  }
})

t.test('for any answer, the stream obeys the protocol and agrees with the whole reply', async t => {
  const call = (key: string, more: object = {}): GenerationEvent => ({ type: 'tool-call', key, name: `f_${key}`, ...more })
  const think = (text: string, form: 'summary' | 'full', more: object = {}): GenerationEvent => ({ type: 'reasoning', text, form, ...more })
  const answers: Record<string, readonly [events: readonly GenerationEvent[], types: readonly string[]]> = {
    nothing: [[], []],
    'text and a refusal': [[text('a'), { type: 'refusal', text: 'b' }, text('c')], ['message']],
    'two messages': [
      [text('a'), { type: 'item-end' }, text('b')],
      ['message', 'message'],
    ],
    'strange characters': [[text('\u2028"\\\n\u0000\r\n\u{1f600}data: x\n\n')], ['message']],
    'a summary after full reasoning': [
      [think('a', 'full'), think('b', 'summary')],
      ['reasoning', 'reasoning'],
    ],
    'parts of a summary': [[think('a', 'summary'), think('b', 'summary', { newPart: true }), think('c', 'full')], ['reasoning']],
    'a state alone': [[{ type: 'reasoning-state', opaque: 'x' }], ['reasoning']],
    'two states': [
      [think('a', 'full'), { type: 'reasoning-state', opaque: 'x' }, { type: 'reasoning-state', opaque: 'y' }],
      ['reasoning', 'reasoning'],
    ],
    'a call without arguments': [[call('a')], ['function_call']],
    'a call between texts': [
      [text('a'), call('a'), { type: 'tool-input', key: 'a', text: '{}' }, text('b')],
      ['message', 'function_call', 'message'],
    ],
    'a custom call': [[call('a', { custom: true }), { type: 'tool-input', key: 'a', text: 'x' }], ['custom_tool_call']],
    'searches of each kind': [
      [
        {
          type: 'search',
          key: '1',
          status: 'completed',
          action: { type: 'search', query: 'q', sources: [{ type: 'url', url: 'https://example.com/' }] },
        },
        { type: 'search', key: '2', status: 'completed', action: { type: 'open_page', url: 'https://example.com/' } },
        { type: 'search', key: '3', status: 'failed', action: { type: 'find_in_page', url: 'https://example.com/', pattern: 'x' } },
      ],
      ['web_search_call', 'web_search_call', 'web_search_call'],
    ],
    'a compaction': [[{ type: 'compaction', opaque: 'x' }], ['compaction']],
    'an item of a tool that the caller brought': [
      [{ type: 'item', item: { type: 'shell_call', status: 'completed', action: {} } }],
      ['shell_call'],
    ],
    'citations in two parts': [
      [
        text('one'),
        { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/', title: '' }, start: 0, end: 3 },
        { type: 'refusal', text: 'no' },
        text('two'),
        { type: 'annotation', citation: { type: 'file_citation', file_id: 'f', filename: 'a.txt', index: 1 }, start: 5, end: 8 },
        { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/', title: 'x' }, start: 5, end: 8 },
      ],
      ['message'],
    ],
  }
  const include = ['reasoning.encrypted_content', 'message.output_text.logprobs']
  for (const [name, [events, types]] of Object.entries(answers)) {
    const under = await gateway({ plugins: [saying('acme', [...events, usage(1, 1), stop])] })
    const { response } = await ask(under, { ...hi, include })
    const reply = await under.request('/v1/responses', { body: { ...hi, include, stream: true } })
    const { response: streamed } = checkStream(await reply.text())
    t.same(
      response.output.map(({ type }) => type),
      types,
      name,
    )
    t.equal(checkResponse(response).status, 'completed')
    const bare = (output: readonly object[]) => output.map(item => ({ ...item, id: 0, call_id: 0, encrypted_content: 0 }))
    t.same(bare(streamed.output), bare(response.output))
    await under.stop()
  }
})

t.test('log probabilities and state are shown only where they were asked for', async t => {
  const events: readonly GenerationEvent[] = [
    { type: 'reasoning-state', opaque: 'x' },
    { type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -1, top_logprobs: [{ token: 'b', logprob: -2 }] }] },
    stop,
  ]
  const under = await gateway({ plugins: [saying('acme', events)] })
  t.teardown(under.stop)
  for (const stream of [true, false]) {
    const { output } = (await ask(under, { ...hi, stream })).response
    t.notOk('encrypted_content' in output[0]!)
    t.match(output[1], { content: [{ logprobs: [], annotations: [] }] })
    t.same(logprobsOf(output[1]), [])
    const asked = (await ask(under, { ...hi, stream, include: ['message.output_text.logprobs', 'reasoning.encrypted_content'] })).response
      .output
    t.type(asked[0]!['encrypted_content'], 'string')
    const logprobs = [{ token: 'a', logprob: -1, bytes: [], top_logprobs: [{ token: 'b', logprob: -2, bytes: [] }] }]
    t.same(logprobsOf(asked[1]), logprobs)
    t.same(logprobsOf((await ask(under, { ...hi, stream, top_logprobs: 1 })).response.output[1]), logprobs)
  }
})

function logprobsOf(message: unknown): unknown {
  return (message as { readonly content: readonly { readonly logprobs: unknown }[] }).content[0]!.logprobs
}

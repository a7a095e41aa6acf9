import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import { fakeUpstream, sseFrame, type FakeReply, type ReceivedRequest } from '../../../../core/testing/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import { gateway, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { guarding, listing } from '../../../kit/stage.ts'
import { askMessages } from './stage.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'

interface Stage {
  readonly under: GatewayUnderTest
  readonly asked: ReceivedRequest[]
}

/** A gateway before a vendor that answers with this message, whole or as a stream. */
async function stage(t: { teardown(fn: () => unknown): void }, reply: JsonObject, plugins: readonly PluginUse[] = []): Promise<Stage> {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return (request.body as JsonObject)['stream'] ? streamed(reply) : whole(reply)
  })
  t.teardown(() => vendor.close())
  const under = await gateway({ plugins: [messages({}), anthropic({ baseUrl: vendor.url, apiKey: 'sk-demo-1' }), ...plugins] })
  t.teardown(under.stop)
  return { under, asked }
}

const message: JsonObject = {
  id: 'msg_vendor',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  stop_reason: 'stop_sequence',
  stop_sequence: 'END',
  container: { id: 'container_1', expires_at: '2026-11-24T04:00:00Z' },
  context_management: { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 400 }] },
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 4,
    cache_read_input_tokens: 6,
    cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 1 },
    output_tokens: 20,
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    service_tier: 'standard',
    inference_geo: 'eu',
  },
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
    { type: 'thinking', thinking: '', signature: 'aGlkZGVu' },
    { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
    { type: 'server_tool_use', id: 'srvtoolu_01', name: 'web_search', input: { query: 'weather' }, caller: { type: 'direct' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_01',
      content: [{ type: 'web_search_result', url: 'https://example.com/a', title: 'A', encrypted_content: 'ZW5j', page_age: null }],
    },
    {
      type: 'text',
      text: 'It is sunny.',
      citations: [
        { type: 'web_search_result_location', url: 'https://example.com/a', title: 'A', encrypted_index: 'aW5k', cited_text: 'sunny' },
      ],
    },
    { type: 'text', text: ' And warm.' },
    {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_02',
      content: { type: 'code_execution_result', stdout: '1', return_code: 0 },
    },
    {
      type: 'tool_use',
      id: 'toolu_01',
      name: 'look',
      input: { x: 1 },
      caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_02' },
    },
  ],
}

function whole(reply: JsonObject): FakeReply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
}

/** As the vendor streams it. */
function streamed({ content, stop_reason, stop_sequence, container, context_management, usage, ...start }: JsonObject): FakeReply {
  const event = (type: string, fields: object): string => sseFrame({ type, ...fields }, type)
  const blocks = (content as readonly JsonObject[]).map((block, index) => {
    const delta = (fields: object): string => event('content_block_delta', { index, delta: fields })
    const begin = (changes: object): string => event('content_block_start', { index, content_block: { ...block, ...changes } })
    const end = event('content_block_stop', { index })
    switch (block['type']) {
      case 'text': {
        const { citations, ...text } = block
        const cited = ((citations ?? []) as readonly object[]).map(citation => delta({ type: 'citations_delta', citation }))
        return (
          event('content_block_start', { index, content_block: { ...text, text: '', ...(citations ? { citations: [] } : {}) } }) +
          cited.join('') +
          delta({ type: 'text_delta', text: block['text'] }) +
          end
        )
      }
      case 'thinking':
        return (
          begin({ thinking: '', signature: '' }) +
          (block['thinking'] ? delta({ type: 'thinking_delta', thinking: block['thinking'] }) : '') +
          delta({ type: 'signature_delta', signature: block['signature'] }) +
          end
        )
      case 'tool_use':
      case 'server_tool_use':
        return begin({ input: {} }) + delta({ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }) + end
      default:
        return begin({}) + end
    }
  })
  const frames = [
    event('message_start', {
      message: { ...start, content: [], stop_reason: null, stop_sequence: null, usage: { ...(usage as object), output_tokens: 1 } },
    }),
    ...blocks,
    event('message_delta', {
      delta: { stop_reason, stop_sequence, container },
      usage: { output_tokens: (usage as JsonObject)['output_tokens'] },
      context_management,
    }),
    event('message_stop', {}),
  ]
  return { headers: { 'content-type': 'text/event-stream' }, body: frames.join('') }
}

/** Without the state that the gateway seals. */
function unsealed(content: readonly JsonObject[]): readonly JsonObject[] {
  return content.map(({ signature, data, ...block }) => ({
    ...block,
    ...(signature !== undefined && { signature: '…' }),
    ...(data !== undefined && { data: '…' }),
  }))
}

t.test('nothing of an answer is lost, whole or streamed', async t => {
  const { under, asked } = await stage(t, message)
  for (const stream of [false, true]) {
    const { status, body, headers } = await askMessages(under, { model: 'anthropic/claude-sonnet-4-5', stream })
    t.equal(status, 200)
    t.equal(headers.get('x-gateway-warnings'), null)
    t.strictSame(unsealed(body.content), unsealed(message['content'] as readonly JsonObject[]))
    const { id: _, model: _model, content: _content, usage: _usage, ...rest } = message
    t.match(body, rest)
    t.match(body.usage, message['usage'] as JsonObject)

    // What came goes back as it was.
    const turn = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: body.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01', content: 'done' }] },
    ]
    await askMessages(under, {
      model: 'anthropic/claude-sonnet-4-5',
      messages: turn,
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
    })
    const sent = (asked.at(-1)!.body as { messages: readonly { content: readonly JsonObject[] }[] }).messages
    t.strictSame(sent[1]!.content, message['content'])
  }
})

t.test('nothing of a request is lost', async t => {
  const { under, asked } = await stage(t, message)
  const request = {
    model: 'anthropic/claude-sonnet-4-5',
    max_tokens: 5000,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cch=1;' },
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'Grüße' },
            title: 'b',
            context: 'c',
            citations: { enabled: true },
          },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] }, citations: { enabled: true } },
          {
            type: 'search_result',
            source: 'https://example.com/a',
            title: 'A',
            content: [{ type: 'text', text: 'found' }],
            citations: { enabled: true },
          },
          { type: 'container_upload', file_id: 'file_1' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'tool_use', id: 'toolu_9', name: 'look', input: {}, cache_control: { type: 'ephemeral' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_9',
            is_error: true,
            cache_control: { type: 'ephemeral' },
            content: [
              { type: 'text', text: 'no' },
              { type: 'tool_reference', tool_name: 'look' },
            ],
          },
        ],
      },
    ],
    tools: [
      { type: 'web_search_20260209', name: 'web_search', max_uses: 3, allowed_callers: ['direct'] },
      { name: 'look', input_schema: { type: 'object' }, defer_loading: true, cache_control: { type: 'ephemeral' } },
      { type: 'code_execution_20260120', name: 'code_execution' },
    ],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    stop_sequences: ['END'],
    top_k: 5,
    output_config: { task_budget: { type: 'tokens', total: 9000 } },
    service_tier: 'standard_only',
    container: 'container_1',
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    mcp_servers: [{ type: 'url', url: 'https://example.com/mcp', name: 'demo' }],
    some_new_member: { a: 1 },
  }
  const { status, headers } = await askMessages(
    under,
    { ...request, metadata: { user_id: 'jane@example.com' } },
    { 'anthropic-beta': 'code-execution-2025-08-25, context-management-2025-06-27' },
  )
  t.equal(status, 200)
  t.equal(headers.get('x-gateway-warnings'), null)
  const { metadata, ...sent } = asked[0]!.body as JsonObject
  t.strictSame(sent, { ...request, model: 'claude-sonnet-4-5' })
  t.match((metadata as JsonObject)['user_id'], /^[\w-]{32}$/, 'the vendor gets a name that says nothing')
  t.equal(asked[0]!.headers['anthropic-beta'], 'code-execution-2025-08-25,context-management-2025-06-27')
})

t.test('thinking goes as the caller says it, if the model takes it so', async t => {
  const { under, asked } = await stage(t, message)
  const sent = async (model: string, body: object): Promise<JsonObject> => {
    await askMessages(under, { max_tokens: 4000, model: `anthropic/${model}`, ...body })
    const { thinking, output_config } = asked.at(-1)!.body as JsonObject
    return { thinking, output_config }
  }
  const enabled = { type: 'enabled', budget_tokens: 2000, display: 'omitted' }
  t.strictSame(await sent('claude-sonnet-4-5', { thinking: enabled }), { thinking: enabled, output_config: undefined })
  t.strictSame(await sent('claude-sonnet-4-6', { thinking: { type: 'adaptive' } }), {
    thinking: { type: 'adaptive' },
    output_config: undefined,
  })
  t.strictSame(await sent('claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'low' } }), {
    thinking: { type: 'disabled' },
    output_config: { effort: 'low' },
  })
  t.match(await sent('claude-opus-5', { thinking: enabled }), { thinking: { type: 'adaptive' } }, 'another form for a newer model')
  t.match(await sent('claude-sonnet-4-5', { thinking: { type: 'adaptive' } }), { thinking: { type: 'enabled' } }, 'and for an older one')
})

t.test('a guardrail that reads content lets no extras pass', async t => {
  const { under, asked } = await stage(t, message, [guarding({ output: () => ({ push: text => text, flush: () => '' }) })])
  const { body } = await askMessages(under, { model: 'anthropic/claude-sonnet-4-5', some_new_member: 1 })
  t.notHas(asked[0]!.body, { some_new_member: 1 })
  t.notMatch(JSON.stringify(body), 'container_1')
  const refused = await askMessages(under, {
    model: 'anthropic/claude-sonnet-4-5',
    messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }],
  })
  t.match(refused, { status: 400, body: { error: { message: /container_upload/ } } })
})

t.test('the operator says which tools and betas of the vendor pass', async t => {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return whole(message)
  })
  t.teardown(() => vendor.close())
  const surface = messages({ vendorTools: ['memory_*'], betas: false })
  const under = await gateway({ plugins: [surface, anthropic({ baseUrl: vendor.url, apiKey: 'sk-demo-1' })] })
  t.teardown(under.stop)
  const memory = { type: 'memory_20250818', name: 'memory' }
  const { headers } = await askMessages(
    under,
    {
      model: 'anthropic/claude-sonnet-4-5',
      tools: [memory, { type: 'code_execution_20260120', name: 'code_execution' }],
      mcp_servers: [{ type: 'url', url: 'https://example.com/mcp', name: 'demo' }],
    },
    { 'anthropic-beta': 'mcp-client-2025-11-20' },
  )
  t.strictSame((asked[0]!.body as JsonObject)['tools'], [memory])
  t.notHas(asked[0]!.body, { mcp_servers: [] })
  t.equal(asked[0]!.headers['anthropic-beta'], undefined)
  t.match(headers.get('x-gateway-warnings'), /code_execution_20260120.*mcp_servers/)
})

t.test('what has no known price is not for a key with a cap', async t => {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return whole(message)
  })
  t.teardown(() => vendor.close())
  const under = await gateway({
    plugins: [
      messages({}),
      anthropic({ baseUrl: vendor.url, apiKey: 'sk-demo-1' }),
      listing({ model: 'claude-sonnet-4-5', endpoints: [{ provider: 'anthropic', price: { input: 1, output: 1, webSearch: 0 } }] }),
    ],
    key: { spendCapUsd: 1000 },
  })
  t.teardown(under.stop)
  const bash = { type: 'bash_20250124', name: 'bash' }
  const code = { type: 'code_execution_20260120', name: 'code_execution' }
  const { status, headers } = await askMessages(under, { model: 'anthropic/claude-sonnet-4-5', tools: [bash, code], speed: 'fast' })
  t.equal(status, 200)
  t.strictSame((asked[0]!.body as JsonObject)['tools'], [bash])
  t.notHas(asked[0]!.body, { speed: 'fast' })
  t.match(headers.get('x-gateway-warnings'), /code_execution_20260120.*price is unknown.*speed/)
})

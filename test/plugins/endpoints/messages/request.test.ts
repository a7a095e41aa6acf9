import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { stop, text, witness } from '../../../kit/stage.ts'
import { askMessages } from './stage.ts'

const image = 'iVBORw0KGgo='
const tool = { name: 'get_weather', description: 'The weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }

async function sent(body: object): Promise<{ readonly request: JsonObject; readonly headers: Headers }> {
  const acme = witness('acme', () => [text('Hello'), stop], { dialect: 'demo' })
  const under = await gateway({ plugins: [messages({}), acme.plugin] })
  try {
    const { status, headers, body: reply } = await askMessages(under, { model: 'acme/m', ...body })
    t.equal(status, 200, JSON.stringify(reply))
    return { request: acme.calls[0]!.request as JsonObject, headers }
  } finally {
    await under.stop()
  }
}

t.test('every block has its neutral form', async t => {
  const { request, headers } = await sent({
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look', cache_control: { type: 'ephemeral', ttl: '1h' } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüße' }, title: 'b.txt', cache_control: null },
          { type: 'search_result', source: 'https://example.com/a', title: 'A', content: [{ type: 'text', text: 'found' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'tpu1.full' },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'Sunny' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
            ],
            is_error: true,
          },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
    tools: [tool],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    stop_sequences: ['END'],
    temperature: 0.5,
    top_k: 4,
    metadata: { user_id: 'jane' },
    thinking: { type: 'enabled', budget_tokens: 2048 },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  })
  t.match(request, {
    max_output_tokens: 100,
    input: [
      { role: 'system', content: [{ text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      {
        content: [
          { type: 'input_text', text: 'look', cache_control: { ttl: '1h' } },
          { type: 'input_image', image_url: `data:image/png;base64,${image}` },
          { type: 'input_image', image_url: 'https://example.com/a.png' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
          { type: 'input_file', filename: 'b.txt', file_data: `data:text/plain;base64,${Buffer.from('Grüße').toString('base64')}` },
          { type: 'input_text', text: 'A\nhttps://example.com/a\n\nfound' },
        ],
      },
      { type: 'reasoning', content: [{ text: 'Hm.' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
      { type: 'function_call', call_id: 'toolu_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call_output', call_id: 'toolu_1', status: 'failed', output: [{ text: 'Sunny' }, { type: 'input_image' }] },
      { role: 'user', content: [{ text: 'And?' }] },
    ],
    tools: [{ type: 'function', name: 'get_weather', parameters: tool.input_schema }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    stop: ['END'],
    temperature: 0.5,
    top_k: 4,
    reasoning: { budget_tokens: 2048, summary: 'auto' },
    text: { format: { type: 'json_schema' } },
    details: ['reasoning-state'],
  })
  t.equal(request['extra'], undefined, 'another dialect gets nothing of this one')
  t.equal(headers.get('x-gateway-warnings'), 'messages: "search_result" was left out: this model\'s API does not have it')
})

t.test('lists with values that are no objects do no harm', async t => {
  const source = { type: 'text', media_type: 'text/plain', data: 'x' }
  const { request } = await sent({ messages: [{ role: 'user', content: [{ type: 'document', source, citations: [null, 'x'] }] }] })
  t.match(request['input'], [{ content: [{ type: 'input_file' }] }])
})

t.test('what only this dialect can say is named in a warning', async t => {
  const { request, headers } = await sent({
    container: 'c_1',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'container_upload', file_id: 'file_1' },
        ],
      },
    ],
    tools: [
      { ...tool, defer_loading: true, cache_control: { type: 'ephemeral' } },
      { type: 'code_execution_20260120', name: 'code_execution' },
    ],
  })
  t.match(request['tools'], [{ type: 'function', name: 'get_weather' }])
  t.equal((request['tools'] as unknown[]).length, 1)
  t.equal(
    headers.get('x-gateway-warnings'),
    [
      "container: it was left out: this model's API does not have it",
      'messages: "container_upload" was left out: this model\'s API does not have it',
      'tools: "defer_loading" was left out: this model\'s API does not have it',
      'tools: "code_execution_20260120" was left out: this model\'s API does not have it',
    ].join('; '),
  )
})

t.test('a line of Claude Code for its vendor goes nowhere else', async t => {
  const line = 'x-anthropic-billing-header: cc_version=2.0.1; cch=0abc1;'
  const blocks = await sent({
    system: [
      { type: 'text', text: line },
      { type: 'text', text: 'Be brief.' },
    ],
  })
  t.match(blocks.request['input'], [{ role: 'system', content: [{ text: 'Be brief.' }] }, { role: 'user' }])
  t.notMatch(JSON.stringify(blocks.request), 'billing')
  const whole = await sent({ system: `${line}\nBe brief.` })
  t.equal(whole.request['instructions'], 'Be brief.')
})

t.test('settings of thinking', async t => {
  const reasoning = async (body: object): Promise<unknown> => (await sent(body)).request['reasoning']
  t.strictSame(await reasoning({ thinking: { type: 'disabled' } }), { effort: 'none' })
  t.strictSame(await reasoning({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }), { effort: 'high', summary: 'auto' })
  t.strictSame(await reasoning({ thinking: { type: 'adaptive', display: 'omitted' } }), { effort: 'medium' })
  t.strictSame(await reasoning({ output_config: { effort: 'low' } }), { effort: 'low' })
  t.strictSame(await reasoning({}), undefined)
})

t.test('the search of the vendor is the search of the gateway', async t => {
  const { request } = await sent({
    tools: [
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        allowed_domains: ['example.com'],
        user_location: { type: 'approximate', country: 'NO', city: null },
      },
    ],
  })
  t.match(request, { max_tool_calls: 2 })
})

t.test('a bad request names what is wrong', async t => {
  const under = await gateway({ plugins: [messages({}), witness('acme', () => [text('Hello'), stop]).plugin] })
  t.teardown(under.stop)
  for (const [body, told] of [
    [{ max_tokens: undefined }, /max_tokens/],
    [{ messages: [] }, /messages/],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, /messages\[0\]\.content\[0\].*text/],
    [{ messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] }, /tool_use_id/],
    [{ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url' } }] }] }, /./],
    [{ tools: [{ name: 'a' }] }, /input_schema/],
    [{ tool_choice: { type: 'any' } }, /tool_choice/],
    [{ tools: [tool], tool_choice: { type: 'tool', name: 'other' } }, /"other"/],
    [{ tools: [tool, tool] }, /get_weather/],
    [{ temperature: 2 }, /temperature/],
  ] as const) {
    const { status, body: reply, headers } = await askMessages(under, { model: 'acme/m', ...body })
    if (status === 200) continue
    t.equal(status, 400)
    t.match(reply, { type: 'error', error: { type: 'invalid_request_error', message: told }, request_id: headers.get('request-id') })
  }
})

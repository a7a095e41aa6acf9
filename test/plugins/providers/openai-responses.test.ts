import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import {
  ProviderFailure,
  Providers,
  type FailureKind,
  type GenerationEvent,
  type Item,
  type JsonObject,
  type Provider,
  type ProviderCall,
} from '../../../core/index.ts'
import type { Emit, ImageErrorCode, UpstreamRequestBody } from '../../../core/kit.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { check } from '../../../core/framework/checked-plugins.ts'
import { fakeUpstream } from '../../../core/testing/index.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { responsesAdapter, type ResponsesHost } from '../../../dialects/index.ts'
import { searching } from '../../../plugins/providers/openai-responses/searching.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'

const question: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }
const askedQuestion = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }

/** The members of every body. */
const always = { model: 'demo-large', store: false, stream: false, include: ['reasoning.encrypted_content'] }

function callFor(request: Partial<UpstreamRequestBody> = {}, credentialId?: string): ProviderCall {
  const { signal } = new AbortController()
  return {
    request: { model: 'demo', input: [question], ...request },
    endpoint: { provider: 'openai', model: 'demo', upstreamModel: 'demo-large', listed: true, capabilities: {}, zdr: false, hipaa: false },
    credentialId,
    signal,
    context: { id: 'req_demo', signal } as unknown as ProviderCall['context'],
  }
}

function adapter(options: ResponsesHost = {}) {
  return responsesAdapter({ search: searching, baseUrl: 'https://api.example.com/v1', ...options })
}

function prepared(request: Partial<UpstreamRequestBody>, options: ResponsesHost = {}): JsonObject {
  return JSON.parse(adapter(options).prepare(callFor(request)).body as string) as JsonObject
}

const recordings = process.env['TURNPIKE_RECORDINGS'] ?? join(import.meta.dirname, '../../../../shared/recordings')
const schemaFile = resolve(recordings, '../wire-schemas/openai.responses-and-chat.schema.json')
const accepted = existsSync(schemaFile) ? vendorSchema() : undefined

/** The vendor's published schema, read as the vendor itself applies it. */
function vendorSchema() {
  const text = readFileSync(schemaFile, 'utf8')
    // A user's message is both an "easy" and a full one; the vendor takes it all the same.
    .replaceAll('"oneOf"', '"anyOf"')
  const schema = JSON.parse(text) as {
    $id?: string
    $defs: Record<string, { required?: string[]; properties: Record<string, { enum: string[] }> }>
  }
  // Replayed items need no ids where nothing is stored, and hosted tools are chosen by today's names too.
  for (const name of ['ReasoningItem', 'OutputMessage'])
    schema.$defs[name]!.required = schema.$defs[name]!.required!.filter(key => key !== 'id' && key !== 'status')
  schema.$defs['OutputTextContent']!.required = ['type', 'text']
  schema.$defs['FunctionTool']!.required = ['type', 'name']
  schema.$defs['ToolChoiceTypes']!.properties['type']!.enum.push('web_search')
  schema.$id = 'https://schemas.example.com/openai'
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, addUsedSchema: false })
  ajv.addSchema(schema)
  return ajv.compile({ $ref: 'https://schemas.example.com/openai#/$defs/CreateResponse' })
}

/** Parameters that the vendor gets as the caller sent them. */
const unchanged = {
  instructions: 'Be brief.',
  max_output_tokens: 500,
  max_tool_calls: 3,
  parallel_tool_calls: false,
  temperature: 0.2,
  top_p: 0.9,
  top_logprobs: 2,
  truncation: 'auto',
  service_tier: 'flex',
  prompt_cache_key: 'tp_demo_cache',
  prompt_cache_options: { mode: 'explicit', ttl: '30m' },
  context_management: [{ type: 'compaction', compact_threshold: 50_000 }],
  text: { format: { type: 'json_schema', name: 'answer', strict: true, schema: { type: 'object' } }, verbosity: 'low' },
  stream: true,
} as const

const features: readonly {
  readonly name: string
  readonly request: Partial<UpstreamRequestBody>
  readonly body: JsonObject
}[] = [
  { name: 'a question', request: {}, body: { ...always, input: [askedQuestion] } },
  {
    name: 'every plain parameter',
    request: {
      ...unchanged,
      prompt_cache_retention: 'in-memory',
      reasoning: { effort: 'high', generate_summary: 'detailed' },
      logprobs: true,
      details: ['reasoning-state'],
      presence_penalty: 1,
      frequency_penalty: -1,
    },
    body: {
      ...always,
      input: [askedQuestion],
      ...unchanged,
      prompt_cache_retention: 'in_memory',
      reasoning: { effort: 'high', summary: 'detailed' },
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
    },
  },
  {
    name: 'details of the answer, in the words of the vendor',
    request: {
      details: ['search-results', 'search-sources', 'file-search-results', 'code-outputs', 'input-images', 'screenshots'],
      logprobs: true,
    },
    body: {
      ...always,
      input: [askedQuestion],
      include: [
        'message.output_text.logprobs',
        'web_search_call.results',
        'web_search_call.action.sources',
        'file_search_call.results',
        'code_interpreter_call.outputs',
        'message.input_image.image_url',
        'computer_call_output.output.image_url',
        'reasoning.encrypted_content',
      ],
    },
  },
  {
    name: 'messages with images and files, and earlier answers',
    request: {
      input: [
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
        {
          type: 'message',
          id: 'msg_demo1',
          role: 'user',
          status: 'completed',
          content: [
            { type: 'input_text', text: 'What is it?', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'input_image', image_url: 'https://images.example.com/cat.png', detail: 'low' },
            { type: 'input_file', filename: 'cat.txt', file_data: 'data:text/plain;base64,Y2F0' },
          ],
        },
        {
          type: 'message',
          id: 'msg_demo2',
          role: 'assistant',
          phase: 'final_answer',
          content: [{ type: 'output_text', text: 'A cat.', annotations: [], logprobs: [] }],
        },
        { type: 'message', role: 'user', content: [{ type: 'output_text', text: 'Quoted.' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'input_text', text: 'I think' },
            { type: 'refusal', refusal: 'I would rather not.' },
          ],
        },
      ],
    },
    body: {
      ...always,
      input: [
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'Be kind.' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is it?', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'input_image', image_url: 'https://images.example.com/cat.png', detail: 'low' },
            { type: 'input_file', filename: 'cat.txt', file_data: 'data:text/plain;base64,Y2F0' },
          ],
        },
        { type: 'message', role: 'assistant', phase: 'final_answer', content: 'A cat.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Quoted.' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'I think' },
            { type: 'refusal', refusal: 'I would rather not.' },
          ],
        },
      ],
    },
  },
  {
    name: 'reasoning, with state only',
    request: {
      input: [
        question,
        { type: 'reasoning', id: 'rs_demo1', summary: [{ type: 'summary_text', text: 'Greeting' }], encrypted_content: 'gAAAA-demo+/=' },
        { type: 'reasoning', id: 'rs_demo2', summary: [{ text: 'No state: the vendor would not know it.' }] },
        { type: 'reasoning', content: [{ text: 'Said aloud.' }], encrypted_content: 'handle-0' },
        { type: 'compaction', id: 'cmp_demo1', encrypted_content: 'gAAAA-compacted' },
      ],
    },
    body: {
      ...always,
      input: [
        askedQuestion,
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Greeting' }], encrypted_content: 'gAAAA-demo+/=' },
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Said aloud.' }], encrypted_content: 'handle-0' },
        { type: 'compaction', encrypted_content: 'gAAAA-compacted' },
      ],
    },
  },
  {
    name: 'tool calls, their outputs, and items of tools that only this dialect runs',
    request: {
      input: [
        question,
        { type: 'function_call', id: 'fc_demo1', status: 'completed', call_id: 'call_1', name: 'look', namespace: 'crm', arguments: '{}' },
        { type: 'function_call_output', id: 'fco_demo1', call_id: 'call_1', output: 'seen' },
        { type: 'custom_tool_call', id: 'ctc_demo1', call_id: 'call_2', name: 'patch', input: '*** Begin' },
        {
          type: 'custom_tool_call_output',
          call_id: 'call_2',
          output: [{ type: 'input_text', text: 'done', cache_control: { type: 'ephemeral' } }],
        },
        { type: 'web_search_call', id: 'ws_demo1', status: 'completed', action: { type: 'search', query: 'cats' } },
        {
          type: 'apply_patch_call',
          id: 'apc_demo1',
          call_id: 'call_3',
          status: 'completed',
          operation: { type: 'delete_file', path: 'a.txt' },
        },
        { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed' },
      ] as readonly Item[],
    },
    body: {
      ...always,
      input: [
        askedQuestion,
        { type: 'function_call', call_id: 'call_1', name: 'look', namespace: 'crm', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'seen' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'done' }] },
        {
          type: 'apply_patch_call',
          call_id: 'call_3',
          status: 'completed',
          operation: { type: 'delete_file', path: 'a.txt' },
        },
        { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed' },
      ],
    },
  },
  {
    name: 'tools of every kind',
    request: {
      tools: [
        { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'regex', definition: '.*' } },
        {
          type: 'namespace',
          name: 'crm',
          description: 'Customers.',
          tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
        },
        {
          type: 'web_search',
          engine: { type: 'native' },
          search_context_size: 'low',
          filters: { allowed_domains: ['example.com'] },
          user_location: { type: 'approximate', country: 'CH' },
        },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
      tool_choice: { type: 'allowed_tools', tools: [{ type: 'function', name: 'look' }] },
    },
    body: {
      ...always,
      include: [...always.include, 'web_search_call.action.sources'],
      input: [askedQuestion],
      tools: [
        { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'regex', definition: '.*' } },
        {
          type: 'namespace',
          name: 'crm',
          description: 'Customers.',
          tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
        },
        {
          type: 'web_search',
          search_context_size: 'low',
          filters: { allowed_domains: ['example.com'] },
          user_location: { type: 'approximate', country: 'CH' },
        },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
    },
  },
]

t.test('what the vendor is sent', async t => {
  for (const { name, request, body } of features)
    t.test(name, async t => {
      const sent = prepared(request)
      t.strictSame(sent, body)
      if (!accepted) t.comment(`no ${schemaFile}: not compared with the vendor's schema`)
      else t.ok(accepted(sent), JSON.stringify(accepted.errors?.slice(0, 5)))
    })

  t.test('the schema tells right from wrong', { skip: !accepted && `no ${schemaFile}` }, async t => {
    const body = prepared({})
    for (const wrong of [
      { input: [{ type: 'reasoning' }] },
      { tools: [{ type: 'custom' }] },
      { max_output_tokens: 5 },
      { include: ['all'] },
    ])
      t.notOk(accepted!({ ...body, ...wrong }), JSON.stringify(wrong))
  })

  t.test('choices of tools', async t => {
    const choices = [
      ['none', 'none'],
      ['required', 'required'],
      [
        { type: 'function', name: 'look' },
        { type: 'function', name: 'look' },
      ],
      [{ type: 'web_search' }, { type: 'web_search' }],
      [{ type: 'allowed_tools', mode: 'none', tools: [{ type: 'custom', name: 'patch' }] }, 'none'],
      [
        { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
        { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
      ],
    ] as const
    for (const [asked, sent] of choices) {
      const body = prepared({ tool_choice: asked })
      t.strictSame(body['tool_choice'], sent)
      if (accepted) t.ok(accepted(body), JSON.stringify(accepted.errors?.slice(0, 5)))
    }
  })

  t.test('unknown members of this dialect come along and change nothing that is known', async t => {
    const fields = {
      moderation: { mode: 'auto' },
      store: true,
      model: 'other',
      presence_penalty: 2,
      previous_response_id: 'resp_other',
      background: true,
      include: ['code_interpreter_call.outputs'],
      metadata: { user: 'jane' },
    }
    t.strictSame(prepared({ extra: { dialect: 'openai-responses', fields } }), {
      ...always,
      moderation: { mode: 'auto' },
      input: [askedQuestion],
    })
    t.strictSame(prepared({ extra: { dialect: 'openai-chat', fields } }), { ...always, input: [askedQuestion] })
  })

  t.test('dropped and raised parameters are named in warnings', async t => {
    const request = { max_output_tokens: 5, presence_penalty: 0.5, frequency_penalty: 0 }
    t.equal(prepared(request)['max_output_tokens'], 16)
    const events: GenerationEvent[] = []
    adapter().reply({ status: 'completed', output: [] }, event => void events.push(event), callFor(request))
    t.same(
      events.filter(event => event.type === 'warning').map(event => event.param),
      ['presence_penalty', 'max_output_tokens'],
    )
    t.match(decoded(['{"type":"response.created","response":{"model":"demo"}}'], request), [
      { type: 'warning' },
      { type: 'warning' },
      { type: 'model' },
    ])
  })

  t.test('options', async t => {
    t.notHas(prepared({ stream: true }, { reasoningState: false }), { include: [] })
    t.strictSame(prepared({ stream: true }, { obfuscation: false })['stream_options'], { include_obfuscation: false })
    t.notOk('stream_options' in prepared({ stream: false }, { obfuscation: false }))
    const { url, headers } = adapter({ baseUrl: 'https://hosts.example.com/openai/v1/?api-version=preview' }).prepare(
      callFor({ stream: true }),
    )
    t.equal(url, 'https://hosts.example.com/openai/v1/responses?api-version=preview')
    t.strictSame(headers, { 'content-type': 'application/json', accept: 'text/event-stream' })
  })

  t.test('a reference to what was never stored cannot be said', async t => {
    t.throws(() => prepared({ input: [{ type: 'item_reference', id: 'msg_demo1' }] }), { kind: 'invalid-request', message: /msg_demo1/ })
  })
})

t.test('what the vendor says in a stream', async t => {
  t.test('an answer with summaries, state, searches, citations and logprobs', async t => {
    const logprobs = [{ token: 'A', logprob: -0.25, bytes: [65], top_logprobs: [{ token: 'The', logprob: -1.5, bytes: [84, 104, 101] }] }]
    t.strictSame(decoded(fixture('answer')), [
      { type: 'model', model: 'demo-large-2026-09-01' },
      { type: 'reasoning', text: '**Looking', form: 'summary' },
      { type: 'reasoning', text: ' it up**', form: 'summary' },
      { type: 'reasoning', text: '**Comparing**', form: 'summary', newPart: true },
      { type: 'reasoning-state', opaque: 'gAAAA-demo+state/1==' },
      { type: 'search', key: '1', status: 'in_progress', action: { type: 'search', query: '', sources: [] } },
      {
        type: 'search',
        key: '1',
        status: 'completed',
        action: {
          type: 'search',
          query: 'tallest tree',
          queries: ['tallest tree'],
          sources: [{ type: 'url', url: 'https://trees.example.com/tallest' }],
        },
      },
      { type: 'search', key: '2', status: 'in_progress', action: { type: 'search', query: '', sources: [] } },
      { type: 'search', key: '2', status: 'completed', action: { type: 'open_page', url: 'https://trees.example.com/tallest' } },
      { type: 'text', text: 'A', logprobs, phase: 'final_answer' },
      { type: 'text', text: ' redwood 🌲 (trees.example.com).', phase: 'final_answer' },
      {
        type: 'annotation',
        citation: { type: 'url_citation', url: 'https://trees.example.com/tallest', title: 'Tallest trees' },
        start: 13,
        end: 31,
      },
      { type: 'text', text: ' See file.', phase: 'final_answer' },
      {
        type: 'annotation',
        citation: { type: 'file_citation', file_id: 'file-demo1', filename: 'trees.txt', index: 9 },
        start: 42,
        end: 42,
      },
      {
        type: 'annotation',
        citation: { type: 'container_file_citation', container_id: 'c1', file_id: 'f1', filename: 'x' },
        start: 33,
        end: 34,
      },
      { type: 'item-end' },
      {
        type: 'usage',
        usage: {
          uncachedInput: 76,
          cacheRead: 1024,
          cacheWrite5m: 100,
          cacheWrite1h: 0,
          output: 90,
          reasoning: 40,
          toolCalls: { web_search: 2 },
        },
      },
      { type: 'finish', reason: 'stop' },
    ])
  })

  t.test('calls, interleaved, with arguments that no delta brought, and an item of a foreign tool', async t => {
    t.strictSame(decoded(fixture('calls')), [
      { type: 'model', model: 'demo-large-2026-09-01' },
      { type: 'reasoning', text: 'Need id 7.', form: 'full' },
      { type: 'item-end' },
      { type: 'text', text: 'One moment.', phase: 'commentary' },
      { type: 'item-end' },
      { type: 'tool-call', key: '2', callId: 'call_demo1', name: 'lookup', namespace: 'crm' },
      { type: 'tool-input', key: '2', text: '{"id"' },
      { type: 'tool-call', key: '3', callId: 'call_demo2', name: 'refresh' },
      { type: 'tool-input', key: '2', text: ':7}' },
      { type: 'tool-input', key: '3', text: '{}' },
      { type: 'tool-call', key: '4', callId: 'call_demo3', name: 'patch', custom: true },
      { type: 'tool-input', key: '4', text: '*** Begin' },
      {
        type: 'item',
        item: {
          id: 'sh_demo1',
          type: 'shell_call',
          status: 'completed',
          call_id: 'call_demo4',
          action: { commands: ['ls'], max_output_length: null, timeout_ms: null },
        },
      },
      { type: 'usage', usage: { uncachedInput: 50, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 20, reasoning: 0 } },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  t.test('a host that leaves out deltas and items, and counts and names them anew at the end', async t => {
    t.strictSame(decoded(fixture('sparse')), [
      { type: 'model', model: 'demo/small' },
      { type: 'reasoning', text: 'Easy.', form: 'full' },
      { type: 'item-end' },
      { type: 'text', text: 'It is' },
      { type: 'text', text: ' four.' },
      { type: 'annotation', citation: { type: 'url_citation', url: 'https://math.example.com', title: '' }, start: 0, end: 2 },
      { type: 'item-end' },
      { type: 'tool-call', key: '2', callId: 'call_c', name: 'note' },
      { type: 'tool-input', key: '2', text: '{"n":4}' },
      { type: 'usage', usage: { uncachedInput: 9, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 8, reasoning: 0 } },
      { type: 'finish', reason: 'tool-calls' },
    ])
  })

  t.test('with any events left out, nothing is lost and nothing is repeated', async t => {
    for (const name of ['answer', 'calls']) {
      const all = fixture(name)
      const whole = spoken(decoded(all))
      for (const left of [
        /\.delta"/,
        /_(text|arguments|input)\.done"/,
        /output_item\.added"/,
        /output_item\.done"/,
        /part\.(added|done)"/,
        /output_item|\.delta"/,
      ])
        t.strictSame(spoken(decoded(all.filter(data => !left.test(data.slice(0, 60))))), whole, `${name} without ${left}`)
      const bare = all.map(data => data.replaceAll(/"(output_index|item_id|sequence_number)":("[^"]*"|\d+),/g, ''))
      if (name === 'answer') t.strictSame(spoken(decoded(bare)), whole, 'without indexes')
    }
  })

  t.test('a host that streams the answer alone, and tells of its thoughts and calls at the end, under other names', async t => {
    const alone = fixture('sparse').filter(data => !/"item_id":"rs_tmp|"item":\{"id":"rs_tmp|output_item/.test(data))
    const events = decoded(alone.map(data => data.replace('"output_index":1', '"output_index":0')))
    t.strictSame(
      events.filter(event => event.type === 'text' || event.type === 'reasoning' || event.type === 'tool-input'),
      [
        { type: 'text', text: 'It is' },
        { type: 'reasoning', text: 'Easy.', form: 'full' },
        { type: 'text', text: ' four.' },
        { type: 'tool-input', key: '2', text: '{"n":4}' },
      ],
    )
  })

  t.test('a refusal', async t => {
    const item = { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] }
    const events = decoded([
      frame('response.refusal.delta', { output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'I ' }),
      frame('response.refusal.delta', { output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'cannot' }),
      frame('response.refusal.done', { output_index: 0, item_id: 'msg_1', content_index: 0, refusal: 'I cannot.' }),
      frame('response.output_item.done', { output_index: 0, item }),
      frame('response.completed', { response: { output: [item] } }),
    ])
    t.strictSame(events, [
      { type: 'refusal', text: 'I ' },
      { type: 'refusal', text: 'cannot' },
      { type: 'refusal', text: '.' },
      { type: 'item-end' },
      { type: 'finish', reason: 'stop' },
    ])
  })

  t.test('state without a word, and items of one kind in a row', async t => {
    const done = (index: number, item: JsonObject) => frame('response.output_item.done', { output_index: index, item })
    const events = decoded([
      done(0, { id: 'rs_0', type: 'reasoning', summary: [], encrypted_content: 'gAAAA-0' }),
      done(1, { id: 'rs_1', type: 'reasoning', summary: [{ text: 'Hm.' }] }),
      done(2, { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'gAAAA-2' }),
      done(3, { id: 'cmp_3', type: 'compaction', encrypted_content: 'gAAAA-3' }),
      done(4, { id: 'msg_4', type: 'message', content: [{ type: 'output_text', text: 'One.' }] }),
      done(5, { id: 'msg_5', type: 'message', content: [{ type: 'output_text', text: 'Two.' }] }),
      done(6, { id: 'new_6', type: 'thing_unheard_of' }),
    ])
    t.strictSame(events, [
      { type: 'reasoning-state', opaque: 'gAAAA-0' },
      { type: 'reasoning', text: 'Hm.', form: 'summary' },
      { type: 'item-end' },
      { type: 'reasoning-state', opaque: 'gAAAA-2' },
      { type: 'compaction', opaque: 'gAAAA-3' },
      { type: 'text', text: 'One.' },
      { type: 'item-end' },
      { type: 'text', text: 'Two.' },
      { type: 'item-end' },
    ])
  })

  t.test('searches in every form', async t => {
    const action = (item: JsonObject): unknown => {
      const [event] = decoded([frame('response.output_item.done', { output_index: 0, item: { type: 'web_search_call', ...item } })])
      return event?.type === 'search' && [event.status, event.action]
    }
    t.same(action({ status: 'searching', action: { type: 'search', queries: ['a', 'b'] } }), [
      'completed',
      { type: 'search', query: 'a', queries: ['a', 'b'], sources: [] },
    ])
    t.same(action({ status: 'completed', arguments: '{"query":"c"}' }), ['completed', { type: 'search', query: 'c', sources: [] }])
    t.same(action({ status: 'completed', arguments: '{"que' }), ['completed', { type: 'search', query: '', sources: [] }])
    t.same(action({ status: 'failed', action: { type: 'find_in_page', url: 'https://a.example.com', pattern: 'x' } }), [
      'failed',
      { type: 'find_in_page', url: 'https://a.example.com', pattern: 'x' },
    ])
    t.same(action({ action: { type: 'open_page', url: null } }), ['completed', { type: 'open_page' }])
  })

  t.test('how it ends', async t => {
    const end = (type: string, response: JsonObject) => decoded([frame(type, { response })]).at(-1)
    t.same(end('response.incomplete', { incomplete_details: { reason: 'max_output_tokens' } }), { type: 'finish', reason: 'length' })
    t.same(end('response.incomplete', { incomplete_details: { reason: 'content_filter' } }), { type: 'finish', reason: 'content-filter' })
    t.same(end('response.done', { status: 'completed' }), { type: 'finish', reason: 'stop' })
    const cut = decoded(fixture('answer').slice(0, -1))
    t.notOk(
      cut.some(event => event.type === 'finish'),
      'without its terminal event a reply has no end',
    )
  })

  t.test('errors in a stream', async t => {
    const failing = (...frames: readonly string[]) => failure(t, emit => decoded(frames, {}, emit))
    const error = { type: 'server_error', code: 'server_error', message: 'It broke.' }
    t.match(failing(frame('error', { code: 'server_error', message: 'It broke.' })).failure, {
      kind: 'unavailable',
      code: undefined,
      message: 'It broke.',
    })
    t.match(
      failing(frame('error', { error: { ...error, code: 'rate_limit_exceeded', message: 'Slow. Please try again in 1.5s.' } })).failure,
      {
        kind: 'rate-limit',
        code: undefined,
        retryAfterMs: 1500,
      },
    )
    const late = failing(
      frame('response.output_text.delta', { output_index: 0, delta: 'So' }),
      frame('response.failed', {
        response: { error: { code: 'brand_new', message: 'No.' }, usage: { input_tokens: 3, output_tokens: 1 } },
      }),
    )
    t.match(late.failure, { kind: 'unavailable', code: undefined, message: 'No.', upstream: '{"code":"brand_new","message":"No."}' })
    t.match(late.events, [
      { type: 'text', text: 'So' },
      { type: 'usage', usage: { uncachedInput: 3, output: 1 } },
    ])
    t.match(failing('{"error":{"code":502,"message":"Upstream gone"}}').failure, { kind: 'unavailable', status: 502 })
    t.match(failing(frame('response.failed', { response: { error: null } })).failure, { kind: 'unavailable', code: undefined })
    for (const [code, kind] of [
      ['context_length_exceeded', 'context-length'],
      ['insufficient_quota', 'quota'],
      ['invalid_prompt', 'refused'],
      ['image_parse_error', 'invalid-request'],
      ['image_content_policy_violation', 'refused'],
    ] as const)
      t.equal(failing(frame('response.failed', { response: { error: { code, message: 'No.' } } })).failure.kind, kind)
  })
})

t.test('what the vendor says at once', async t => {
  t.test('the same as in a stream', async t => {
    for (const name of ['answer', 'calls', 'sparse']) {
      const streamed = spoken(decoded(fixture(name)))
      const last = JSON.parse(fixture(name).findLast(data => data.includes('response.completed'))!) as { response: JsonObject }
      const events: GenerationEvent[] = []
      adapter().reply(last.response, event => void events.push(event), callFor())
      t.strictSame(spoken(events), streamed, name)
    }
  })

  t.test('a 200 that is none', async t => {
    const failing = (body: unknown) => failure(t, emit => adapter().reply(body, emit, callFor())).failure
    t.match(failing({ error: { code: 429, message: 'Rate limited upstream' } }), {
      kind: 'rate-limit',
      status: 429,
      code: undefined,
    })
    t.match(failing({ status: 'failed', output: [], error: { code: 'server_error', message: 'It broke.' } }), { kind: 'unavailable' })
    t.match(failing({ status: 'cancelled', output: [] }), { kind: 'unavailable' })
    t.match(failing({ status: 'queued', output: [] }), { kind: 'protocol' })
    for (const body of [null, [], 'text', {}, { output: {} }]) t.match(failing(body), { kind: 'protocol' })
  })
})

t.test('error replies', async t => {
  const cases: readonly (readonly [status: number, body: unknown, kind: FailureKind, code: ImageErrorCode | undefined])[] = [
    [401, { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' } }, 'auth', undefined],
    [400, { code: 'invalid-argument', error: 'Incorrect API key provided. See https://console.example.com.' }, 'auth', undefined],
    [
      400,
      { error: { message: 'No model.', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
      'not-found',
      undefined,
    ],
    [400, { error: { message: 'Gone.', type: 'invalid_request_error', code: 'model_decommissioned' } }, 'not-found', undefined],
    [404, { code: 'Not found', error: 'The model demo-1 was deprecated on 2025-09-15.' }, 'not-found', undefined],
    [409, { error: { message: 'Conflict.' } }, 'unavailable', undefined],
    [404, { error: { code: 'DeploymentNotFound', message: 'The deployment does not exist.' } }, 'not-found', undefined],
    [400, { error: { message: 'The model `x` does not exist.', type: 'invalid_request_error', code: null } }, 'not-found', undefined],
    [
      429,
      { error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' } },
      'quota',
      undefined,
    ],
    [402, { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } }, 'quota', undefined],
    [429, { error: { code: '429', message: 'Please retry after 26 seconds.' } }, 'rate-limit', undefined],
    [400, { error: { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' } }, 'context-length', undefined],
    [400, { error: "This model's maximum prompt length is 131072 but the request contains 200000 tokens." }, 'context-length', undefined],
    [
      400,
      { error: { message: 'Filtered.', code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } } },
      'refused',
      undefined,
    ],
    [403, { error: { code: 403, message: 'Your input was flagged by moderation.' } }, 'refused', undefined],
    [400, { error: { message: 'Flagged.', type: 'invalid_request_error', code: 'invalid_prompt' } }, 'refused', undefined],
    [
      400,
      { error: { message: 'Not an image.', type: 'invalid_request_error', code: 'invalid_image' } },
      'invalid-request',
      'invalid_image',
    ],
    [
      400,
      { error: { message: 'Unknown parameter.', type: 'invalid_request_error', code: 'unknown_parameter' } },
      'invalid-request',
      undefined,
    ],
    [403, { error: { message: 'Not from here.', code: 'unsupported_country_region_territory' } }, 'auth', undefined],
    [500, { error: { message: 'The context window of the server broke.', type: 'server_error', code: null } }, 'unavailable', undefined],
    [503, { error: { message: 'Overloaded.', type: 'server_error', code: 'server_error' } }, 'overloaded', undefined],
    [529, '<html>busy</html>', 'overloaded', undefined],
    [502, '', 'unavailable', undefined],
    [401, { statusCode: 401, message: 'Access denied due to a missing subscription.' }, 'auth', undefined],
  ]
  for (const [status, body, kind, code] of cases) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { kind: actualKind, code: actualCode, status: actualStatus, upstream } = adapter().failure(status, {}, text)
    t.strictSame(
      { kind: actualKind, code: actualCode, status: actualStatus, upstream },
      { kind, code, status, upstream: text },
      `${status} ${text}`,
    )
  }

  t.test('the message is the vendor’s, or says the status', async t => {
    t.equal(adapter().failure(400, {}, '{"code":"x","error":"Said plainly."}').message, 'Said plainly.')
    t.equal(adapter().failure(400, {}, '{"error":{"message":"Said well."}}').message, 'Said well.')
    t.equal(adapter().failure(502, {}, '<html>').message, 'The provider answered with status 502.')
  })

  t.test('when to come back', async t => {
    const wait = (headers: Record<string, string>, message = '') =>
      adapter().failure(429, headers, JSON.stringify({ error: { message, code: 'rate_limit_exceeded' } })).retryAfterMs
    t.equal(wait({ 'retry-after-ms': '120.5', 'retry-after': '1' }), 121)
    t.equal(wait({ 'retry-after': '2' }, 'Please try again in 9s.'), 2000)
    t.equal(wait({ 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT', date: 'Sat, 21 Nov 2026 10:00:00 GMT' }), 5000)
    t.equal(wait({}, 'Please try again in 20ms. Visit us.'), 20)
    t.equal(wait({}, 'Please try again in 1m3.5s. Visit us.'), 63_500)
    t.equal(wait({}, 'Please retry after 26 seconds.'), 26_000)
    t.equal(wait({}, 'Too many.'), undefined)
    const spent = JSON.stringify({ error: { message: 'Spent.', code: 'insufficient_quota' } })
    t.equal(adapter().failure(429, { 'retry-after': '2' }, spent).retryAfterMs, undefined, 'waiting fills no purse')
  })
})

t.test('the plugin', async t => {
  const http = new UndiciClient()
  t.teardown(() => http.close())
  const upstream = await fakeUpstream([
    { headers: { 'content-type': 'text/event-stream' }, body: fixtureText('answer').replaceAll('\n', '\r\n') },
    { status: 429, headers: { 'retry-after': '3' }, body: '{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}' },
  ])
  t.teardown(() => upstream.close())
  const [provider, other] = providers(
    http,
    openaiResponses({ apiKey: 'sk-demo-1', baseUrl: `${upstream.url}/v1/`, headers: { 'X-Team': 'demo' }, timeouts: { totalMs: 9000 } }),
    openaiResponses({ id: 'xai', apiKey: ['sk-demo-2', 'sk-demo-3'], baseUrl: upstream.url }),
  )
  t.match(provider, { id: 'openai', capabilities: { builtInTools: true, jsonModeReadsInput: true }, timeouts: { totalMs: 9000 } })
  t.match(other, { id: 'xai', credentials: { length: 2 } })

  const events: GenerationEvent[] = []
  for await (const event of provider!.generate(callFor({ stream: true }, provider!.credentials![0]!.id))) events.push(...[event].flat())
  t.strictSame(events, decoded(fixture('answer')))
  t.match(upstream.requests[0], {
    method: 'POST',
    url: '/v1/responses',
    headers: { authorization: 'Bearer sk-demo-1', 'x-team': 'demo', 'content-type': 'application/json' },
    body: { model: 'demo-large', stream: true, store: false },
  })
  const refused = other!.generate(callFor({}, other!.credentials![1]!.id))[Symbol.asyncIterator]().next()
  t.match(await refused.catch((error: unknown) => error), { kind: 'rate-limit', retryAfterMs: 3000 })
  t.equal(upstream.requests[1]?.headers.authorization, 'Bearer sk-demo-3')
})

function providers(http: UndiciClient, ...uses: Parameters<typeof check>[0]): readonly Provider[] {
  const log = createLogger('silent', new Masks())
  return check(uses).map(({ name, plugin, options }) => {
    const added: unknown[] = []
    const add = (point: unknown, contribution: unknown): void => void (point === Providers && added.push(contribution))
    void plugin.setup(
      {
        name,
        log,
        http,
        createFiles: true,
        lookOnly: false,
        serves: true,
        add,
        resolvePath: path => path,
        secret() {},
        provide() {},
        provides: () => true,
        onStart() {},
        onStop() {},
      },
      options,
      {},
    )
    return added[0] as Provider
  })
}

function fixtureText(name: string): string {
  return readFileSync(join(import.meta.dirname, `../../fixtures/openai-responses/${name}.sse`), 'utf8')
}

/** The data of each event. */
function fixture(name: string): readonly string[] {
  return Array.from(fixtureText(name).matchAll(/^data: (.*)$/gm), ([, data]) => data!)
}

function frame(type: string, rest: JsonObject): string {
  return JSON.stringify({ type, ...rest })
}

function decoded(frames: readonly string[], request: Partial<UpstreamRequestBody> = {}, also?: Emit): readonly GenerationEvent[] {
  const events: GenerationEvent[] = []
  const emit: Emit = event => {
    events.push(event)
    also?.(event)
  }
  const decoder = adapter().decoder(callFor({ stream: true, ...request }))
  for (const data of frames) decoder.frame(data, undefined, emit)
  decoder.end?.(emit)
  return events
}

function failure(
  t: Test,
  run: (emit: Emit) => unknown,
): { readonly failure: ProviderFailure; readonly events: readonly GenerationEvent[] } {
  const events: GenerationEvent[] = []
  try {
    run(event => void events.push(event))
  } catch (error) {
    if (ProviderFailure.is(error)) return { failure: error, events }
    throw error
  }
  t.fail('nothing failed')
  throw new Error('nothing failed')
}

/** The content of the events, however the vendor cut them and interleaved calls. */
function spoken(events: readonly GenerationEvent[]): string {
  const said: Record<string, string> = {}
  const add = (channel: string, piece: string): void => void (said[channel] = (said[channel] ?? '') + piece)
  for (const event of events) {
    if (event.type === 'text' || event.type === 'refusal') add(event.type, event.text)
    else if (event.type === 'reasoning') add(event.type, `${event.newPart ? '|' : ''}${event.text}`)
    else if (event.type === 'tool-input') add(`input ${event.key}`, event.text)
    else if (event.type === 'search') add(event.type, event.status === 'in_progress' ? '' : JSON.stringify(event.action))
    else if (event.type !== 'item-end') add(event.type, JSON.stringify(event))
  }
  // A terminal event encrypts the state of a finished item anew.
  return JSON.stringify(Object.entries(said).toSorted()).replace('gAAAA-encrypted-again', 'gAAAA-demo+state/1==')
}

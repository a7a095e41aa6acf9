import t from 'tap'
import { ProviderFailure, type Endpoint, type ProviderCall } from '../../../core/index.ts'
import type { Effort, TextFormat, UpstreamRequestBody } from '../../../core/kit.ts'
import { providerCall } from '../../../core/testing/provider-call.ts'
import { messagesAdapter, type MessagesHost } from '../../../dialects/index.ts'
import * as settings from '../../../dialects/messages/settings.ts'
import { claude } from '../../../plugins/providers/anthropic/models.ts'

const adapter = messagesAdapter({ baseUrl: 'https://api.example.com', traits: claude })

function settingsFor(given: ProviderCall, host: MessagesHost = {}): settings.Settings {
  return settings.settingsFor(given, { traits: claude, ...host })
}

t.test('thinking takes the form that the model knows', t => {
  const adaptive = { type: 'adaptive', display: 'summarized' }
  const rows: readonly (readonly [model: string, effort: Effort | undefined, thinking: unknown, effort: string | undefined])[] = [
    ['claude-3-5-haiku-20241022', 'high', undefined, undefined],
    ['claude-3-7-sonnet-20250219', 'low', { type: 'enabled', budget_tokens: 6400 }, undefined],
    ['claude-opus-4-20250514', 'minimal', { type: 'enabled', budget_tokens: 3200 }, undefined],
    ['claude-haiku-4-5-20251001', 'max', { type: 'enabled', budget_tokens: 28_800 }, undefined],
    ['claude-haiku-4-5', 'none', undefined, undefined],
    ['claude-sonnet-4-6', 'minimal', adaptive, 'low'],
    ['claude-opus-4-6', 'xhigh', adaptive, 'max'],
    ['claude-opus-4-7', 'xhigh', adaptive, 'xhigh'],
    ['claude-opus-4-7', 'none', undefined, undefined],
    ['claude-sonnet-5', 'none', { type: 'disabled' }, undefined],
    ['claude-opus-5', 'medium', adaptive, 'medium'],
    ['claude-haiku-5-5', 'none', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', 'none', { type: 'between_tools' }, undefined],
    ['claude-opus-5-5', 'none', undefined, 'low'],
    ['claude-fable-5', undefined, undefined, undefined],
    ['claude-opus-9', 'high', adaptive, 'high'],
    ['demo-model', 'high', { type: 'enabled', budget_tokens: 6553 }, undefined],
  ]
  for (const [model, effort, thinking, level] of rows) {
    const found = settingsFor(call({ model, ...(effort && { reasoning: { effort } }) }))
    t.strictSame([found.thinking, found.effort], [thinking, level], `${model}, ${effort}`)
  }
  t.end()
})

t.test('the catalog and the limits have their say in thinking', t => {
  const catalog = (efforts: readonly Effort[]): Partial<Endpoint> => ({ capabilities: { efforts } })
  t.match(settingsFor(call({ model: 'claude-opus-4-6', reasoning: { effort: 'xhigh' } }, catalog(['low', 'xhigh']))), { effort: 'xhigh' })
  t.equal(settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'high' } }, catalog(['none']))).thinking, undefined)
  t.match(settingsFor(call({ model: 'claude-opus-5', reasoning: { effort: 'low' } }, { upstreamModel: 'our-deployment' })), {
    thinking: { type: 'adaptive' },
  })
  const small = settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'high' }, max_output_tokens: 1100 }))
  t.match([small.thinking, small.warnings], [undefined, [{ param: 'reasoning.effort' }]])
  const tight = settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { effort: 'low' }, max_output_tokens: 1200 }))
  t.strictSame(tight.thinking, { type: 'enabled', budget_tokens: 1024 })
  t.match(settingsFor(call({ model: 'claude-opus-5', reasoning: { summary: 'auto' } })), { thinking: { display: 'summarized' } })
  t.equal(settingsFor(call({ model: 'claude-haiku-4-5', reasoning: { summary: 'auto' } })).thinking, undefined)
  t.end()
})

t.test('a tool loop that began without thoughts goes on without them, where the vendor wants them first', t => {
  const loop = (model: string, encrypted_content?: string) =>
    settingsFor(
      call({
        model,
        reasoning: { effort: 'high' },
        input: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
          { type: 'reasoning', ...(encrypted_content && { encrypted_content }) },
          { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'x' },
        ],
      }),
    ).thinking?.type
  t.equal(loop('claude-haiku-4-5'), undefined)
  t.equal(loop('claude-haiku-4-5', '{"signature":"c2ln","thinking":""}'), 'enabled')
  t.equal(loop('claude-opus-4-6'), 'adaptive')
  t.end()
})

t.test('a demand for a tool call goes before thinking, and falls away where the model refuses it', t => {
  const forced = (model: string) => {
    const body = bodyOf({ model, tools: [{ type: 'function', name: 'look' }], tool_choice: 'required', reasoning: { effort: 'high' } })
    return [body['tool_choice'], body['thinking'], body['output_config']]
  }
  t.strictSame(forced('claude-haiku-4-5'), [{ type: 'any' }, undefined, undefined])
  t.strictSame(forced('claude-opus-4-6'), [{ type: 'any' }, undefined, { effort: 'high' }])
  t.strictSame(forced('claude-opus-5-5'), [{ type: 'auto' }, { type: 'adaptive', display: 'summarized' }, { effort: 'high' }])
  t.end()
})

t.test('sampling parameters are sent as far as the model takes them', t => {
  const sampling = (model: string, more: Partial<UpstreamRequestBody>) => {
    const { temperature, topP, warnings } = settingsFor(call({ model, ...more }))
    return [temperature, topP, warnings.map(({ param }) => param).join()]
  }
  t.strictSame(sampling('claude-3-7-sonnet', { temperature: 0.2, top_p: 0.5 }), [0.2, 0.5, ''])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 0.2, top_p: 0.5 }), [0.2, undefined, 'top_p'])
  t.strictSame(sampling('claude-sonnet-4-5', { top_p: 0.5 }), [undefined, 0.5, ''])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 2 }), [1, undefined, 'temperature'])
  t.strictSame(sampling('claude-opus-4-7', { temperature: 0.2, top_p: 0.5 }), [undefined, undefined, 'temperature,top_p'])
  t.strictSame(sampling('claude-sonnet-4-5', { temperature: 0.2, top_p: 0.5, reasoning: { effort: 'low' } }), [
    undefined,
    undefined,
    'temperature,top_p',
  ])
  t.end()
})

t.test('a version of the API without sampling parameters is sent none', t => {
  const request = call({ model: 'claude-haiku-4-5', temperature: 0.2 })
  t.match(settingsFor(request, { version: '2026-10-21' }), { temperature: undefined, warnings: [{ param: 'temperature' }] })
  t.match(settingsFor(request, { version: '2023-06-01' }), { temperature: 0.2 })
  t.match(settingsFor(request, { version: 'vertex-2023-10-16' }), { temperature: 0.2 })
  t.end()
})

t.test('the output limit is the least of what is wanted and what is possible', t => {
  const limit = (model: string, wanted: number | undefined, ceiling: number | undefined, fallback?: number) =>
    settingsFor(
      call(
        { model, ...(wanted !== undefined && { max_output_tokens: wanted }) },
        ceiling === undefined ? {} : { maxOutputTokens: ceiling },
      ),
      fallback === undefined ? {} : { defaultMaxTokens: fallback },
    ).maxTokens
  t.equal(limit('claude-sonnet-4-5', 100, 64_000), 100)
  t.equal(limit('claude-sonnet-4-5', undefined, 64_000), 64_000)
  t.equal(limit('claude-sonnet-4-5', 100_000, 64_000), 64_000)
  t.equal(limit('claude-sonnet-4-5', undefined, undefined, 500), 500)
  t.equal(limit('claude-sonnet-4-5', undefined, undefined), 32_000)
  t.equal(limit('demo-model', undefined, undefined), 8192)
  t.end()
})

t.test('tool choices', t => {
  const tools: UpstreamRequestBody['tools'] = [
    { type: 'function', name: 'look' },
    { type: 'function', name: 'find' },
  ]
  const chosen = (tool_choice: UpstreamRequestBody['tool_choice'], parallel_tool_calls?: boolean) => {
    const body = bodyOf({
      model: 'claude-haiku-4-5',
      tools,
      ...(tool_choice && { tool_choice }),
      ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    })
    return [body['tool_choice'], (body['tools'] as { name: string }[] | undefined)?.map(({ name }) => name)]
  }
  const both = ['look', 'find']
  t.strictSame(chosen(undefined), [undefined, both])
  t.strictSame(chosen('auto'), [{ type: 'auto' }, both])
  t.strictSame(chosen('none', false), [{ type: 'none' }, both])
  t.strictSame(chosen(undefined, false), [{ type: 'auto', disable_parallel_tool_use: true }, both])
  t.strictSame(chosen(undefined, true), [undefined, both])
  t.strictSame(chosen({ type: 'function', name: 'find' }), [{ type: 'tool', name: 'find' }, both])
  t.strictSame(chosen('required'), [{ type: 'any' }, both])
  t.strictSame(chosen('required', false), [{ type: 'any', disable_parallel_tool_use: true }, both])
  t.strictSame(chosen({ type: 'web_search' }), [{ type: 'auto' }, both])
  t.end()
})

t.test('input that the dialect cannot carry is the fault of the request', t => {
  const refused = (input: UpstreamRequestBody['input'], message: RegExp) => {
    try {
      bodyOf({ model: 'claude-haiku-4-5', input })
      t.fail('it was taken')
    } catch (error) {
      t.ok(ProviderFailure.is(error))
      t.match(error, { kind: 'invalid-request', message })
    }
  }
  refused([{ type: 'shell_call' }], /shell_call/)
  refused([{ type: 'item_reference', id: 'msg_1' }], /item_reference/)
  refused([{ type: 'message', role: 'user', content: [{ type: 'input_image' }] }], /input_image/)
  refused([{ type: 'message', role: 'user', content: [{ type: 'input_file', filename: 'a.docx', file_data: 'eA==' }] }], /\.docx/)
  refused(
    [{ type: 'message', role: 'assistant', content: [{ type: 'input_image', image_url: 'https://images.example.com/a.png' }] }],
    /input_image/,
  )
  t.end()
})

t.test('state of unknown make is left out', t => {
  const body = bodyOf({
    model: 'claude-haiku-4-5',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { type: 'reasoning', encrypted_content: 'gAAAA' },
      { type: 'reasoning', encrypted_content: '{"other":1}' },
      { type: 'reasoning', encrypted_content: '{broken' },
      { type: 'compaction', encrypted_content: 'gAAAA' },
    ],
  })
  t.strictSame(body['messages'], [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }])
  t.end()
})

t.test('unknown members reach this dialect from this dialect only', t => {
  const fields = { top_k: 5, model: 'other' }
  t.match(bodyOf({ model: 'claude-haiku-4-5', extra: { dialect: 'anthropic-messages', fields } }), { top_k: 5, model: 'claude-haiku-4-5' })
  t.equal(bodyOf({ model: 'claude-haiku-4-5', extra: { dialect: 'openai-responses', fields } })['top_k'], undefined)
  t.end()
})

t.test('thoughts after which nothing was said are left out', t => {
  const thought = { type: 'reasoning', encrypted_content: '{"signature":"c2ln","thinking":"Hm"}' } as const
  const said = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }) as const
  const body = bodyOf({ model: 'claude-haiku-4-5', input: [said('Go'), thought, said('Again')] })
  t.strictSame(body['messages'], [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Go' },
        { type: 'text', text: 'Again' },
      ],
    },
  ])
  t.end()
})

t.test('a format is enforced where the model and the schema allow it', t => {
  const enforced = (format: TextFormat, model = 'claude-haiku-4-5') => adapter.enforcesFormat!(format, call({ model }).endpoint)
  const asked = (schema: Record<string, unknown>, model?: string) => enforced({ type: 'json_schema', name: 'demo', schema }, model)
  const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } } }
  t.equal(asked({ $ref: '#/$defs/tree', $defs: { tree } }), false)
  t.equal(asked({ type: 'object', properties: { self: { $ref: '#' } } }), false)
  t.equal(asked({ $ref: 'https://schemas.example.com/a.json' }), false)
  t.equal(asked({ type: 'object', additionalProperties: { type: 'string' } }), false)
  t.equal(asked({ type: 'object', properties: { any: { type: 'object' } } }), false)
  t.strictSame(
    asked({ type: 'object', properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }),
    true,
  )
  t.equal(asked({ type: 'string' }), true)
  t.equal(asked({ type: 'string' }, 'claude-3-7-sonnet-20250219'), false, 'older models have none')
  t.equal(enforced({ type: 'json_object' }), false, 'there is no mode of JSON without a schema')
  t.end()
})

t.test('tools are strict as far as the vendor can hold the model to them', t => {
  const strictOnes = (model: string, count: number, parameters: Record<string, unknown>) => {
    const tools = Array.from(
      { length: count },
      (_, index) => ({ type: 'function', name: `tool${index}`, strict: true, parameters }) as const,
    )
    return (bodyOf({ model, tools })['tools'] as { strict?: boolean }[]).filter(({ strict }) => strict).length
  }
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  t.equal(strictOnes('claude-haiku-4-5', 20, parameters), 20)
  t.equal(strictOnes('claude-haiku-4-5', 21, parameters), 0)
  t.equal(strictOnes('claude-opus-4-1', 1, parameters), 0)
  t.equal(strictOnes('claude-haiku-4-5', 1, { type: 'object', properties: { self: { $ref: '#' } } }), 0)
  t.end()
})

t.test('parameters without a counterpart are named in warnings', t => {
  const { warnings } = settingsFor(
    call({ model: 'claude-haiku-4-5', top_logprobs: 3, presence_penalty: 0.5, frequency_penalty: 0, text: { verbosity: 'low' } }),
  )
  t.strictSame(
    warnings.map(({ param }) => param),
    ['top_logprobs', 'presence_penalty', 'text.verbosity'],
  )
  t.end()
})

function call(request: Partial<UpstreamRequestBody> & { readonly model: string }, endpoint: Partial<Endpoint> = {}) {
  const input: UpstreamRequestBody['input'] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }]
  return providerCall({ input, ...request }, { endpoint })
}

function bodyOf(request: Partial<UpstreamRequestBody> & { readonly model: string }): Record<string, unknown> {
  return JSON.parse(String(adapter.prepare(call(request)).body)) as Record<string, unknown>
}

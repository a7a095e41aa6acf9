import t, { type Test } from 'tap'
import type { Capabilities, GenerationEvent } from '../../../core/index.ts'
import type { FunctionTool, UpstreamRequestBody } from '../../../core/kit.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'

const called: GenerationEvent = { type: 'finish', reason: 'tool-calls' }
const call = (key: string, name: string, ...inputs: readonly string[]): GenerationEvent[] => [
  { type: 'tool-call', key, callId: `call_${key}`, name },
  ...inputs.map(input => ({ type: 'tool-input' as const, key, text: input })),
]
const native: Capabilities = { customTools: true, namespaceTools: true, allowedTools: true, builtInTools: true }

interface Seen {
  readonly status: number
  readonly request: UpstreamRequestBody
  readonly output: readonly Record<string, unknown>[]
  readonly warnings: readonly string[]
  readonly error: { readonly message: string; readonly param?: string | null } | undefined
}

let said: readonly GenerationEvent[]
const known = new Map<string, Capabilities>()
const acme = witness('acme', () => said, { capabilitiesOf: ({ upstreamModel }) => known.get(upstreamModel)! })
const under = await gateway({ plugins: [acme.plugin] })
t.teardown(under.stop)

/** The request as an endpoint sees it, and the answer as the caller sees it, streamed or not. */
async function seen(t: Test, body: object, answer: readonly GenerationEvent[], capabilities: Capabilities = {}): Promise<Seen> {
  said = answer
  const model = `m-${known.size}`
  known.set(model, capabilities)
  const one = async (stream: boolean): Promise<Seen> => {
    const reply = await ask(under, { model: `acme/${model}`, stream, ...body })
    const request = acme.calls.at(-1)?.request as UpstreamRequestBody
    const warnings = reply.headers.get('x-gateway-warnings')?.split('; ') ?? []
    if (reply.status !== 200) return { status: reply.status, request, output: [], warnings, error: reply.error }
    const output = (reply.response.output as unknown as Record<string, unknown>[]).map(({ id: _, ...item }) => item)
    return { status: 200, request, output, warnings, error: undefined }
  }
  const whole = await one(false)
  const streamed = await one(true)
  t.same(streamed.output, whole.output, 'a stream says the same')
  return whole
}

const functionsOf = ({ tools }: UpstreamRequestBody): readonly FunctionTool[] => tools as readonly FunctionTool[]

/** One row per tool: what a model calls, and the call and output that clients know. */
const rows = [
  {
    type: 'apply_patch',
    args: { type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b' },
    item: { type: 'apply_patch_call', operation: { type: 'update_file', path: 'a.ts', diff: '@@\n-a\n+b' } },
    output: { type: 'apply_patch_call_output', status: 'failed', output: 'No such line.' },
    said: 'Failed.\nNo such line.',
  },
  {
    type: 'apply_patch',
    args: { type: 'delete_file', path: 'a.ts' },
    item: { type: 'apply_patch_call', operation: { type: 'delete_file', path: 'a.ts' } },
    output: { type: 'apply_patch_call_output', status: 'completed' },
    said: 'Done.',
  },
  {
    type: 'shell',
    args: { commands: ['ls', 'pwd'], timeout_ms: 1000 },
    item: { type: 'shell_call', action: { commands: ['ls', 'pwd'], timeout_ms: 1000 } },
    output: { type: 'shell_call_output', output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
    said: '[{"stdout":"a","stderr":"","outcome":{"type":"exit","exit_code":0}}]',
  },
  {
    type: 'local_shell',
    args: { command: ['ls', '-l'], working_directory: '/tmp' },
    item: { type: 'local_shell_call', action: { type: 'exec', command: ['ls', '-l'], env: {}, working_directory: '/tmp' } },
    output: { type: 'local_shell_call_output', output: '{"output":"a"}' },
    said: '{"output":"a"}',
  },
  {
    type: 'tool_search',
    entry: { execution: 'client', description: 'Finds tools.', parameters: { type: 'object', properties: { goal: { type: 'string' } } } },
    args: { goal: 'weather', type: 'any' },
    item: { type: 'tool_search_call', execution: 'client', arguments: { goal: 'weather', type: 'any' } },
    output: { type: 'tool_search_output', execution: 'client', tools: [] },
    said: 'No tool was found.',
  },
] as const

t.test('a function stands for each tool, and its calls come back as the items that clients know', async t => {
  for (const row of rows) {
    const { type, args, item, output } = row
    const shown = { ...item, call_id: 'call_1', status: 'completed' }
    const json = JSON.stringify(args)
    const answer = [text('Now. '), ...call('1', type, json.slice(0, 5), json.slice(5)), called]
    const entry = { type, ...('entry' in row && row.entry) }
    const first = await seen(t, { tools: [entry] }, answer)
    t.match(functionsOf(first.request), [{ type: 'function', name: type, parameters: { type: 'object' }, strict: false }])
    t.match(first.output, [{ type: 'message' }, shown], type)
    t.equal(first.output.length, 2)
    t.match(first.warnings, [`tools: ${type} is not available on this model: a function stands for it`])

    const history = [
      { role: 'user', content: 'Go.' },
      { id: 'x_1', ...shown },
      { ...output, call_id: 'call_1' },
    ]
    const next = await seen(t, { tools: [entry], input: history }, [text('Done'), stop])
    t.same(next.request.input.slice(1), [
      { type: 'function_call', call_id: 'call_1', name: type, arguments: json },
      { type: 'function_call_output', call_id: 'call_1', output: row.said },
    ])
    const nulls = { ...history[1], created_by: null, status: 'completed' }
    const again = await seen(t, { tools: [entry], input: [history[0], nulls, history[2]] }, [text('Done'), stop])
    t.same(again.request.input, next.request.input, 'what clients add changes nothing')
    const gone = await seen(t, { input: history }, [text('Done'), stop])
    t.same(gone.request.input.slice(1), next.request.input.slice(1), 'the conversation is the same without the tool')

    const kept = await seen(t, { tools: [entry], input: history }, [{ type: 'item', item: { ...shown } }, called], native)
    t.match(kept.request.tools, [entry], 'where it is known it stays')
    t.match(kept.request.input.slice(1), [shown, { ...output }])
    t.match(kept.output, [shown])
    t.same(kept.warnings, [])
    const partly = await seen(t, { tools: [entry] }, answer, { ...native, agentTools: [] })
    t.match(partly.request.tools, [{ type: 'function', name: type }], 'an endpoint may have others only')
    t.match(partly.output[1], shown)
  }
})

t.test('the output of a local shell has the id of its call in either member', async t => {
  const history = [
    { role: 'user', content: 'Go.' },
    {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'call_1',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: { A: 'b' } },
    },
    { type: 'local_shell_call_output', id: 'call_1', output: 'a' },
    { type: 'local_shell_call', id: 'lsh_2', call_id: 'call_2', status: 'completed', action: { type: 'exec', command: ['ls'], env: {} } },
    // As older versions of a client send it.
    { type: 'function_call_output', call_id: 'call_2', output: 'b' },
  ]
  const { request } = await seen(t, { input: history }, [text('Done'), stop])
  t.match(request.input.slice(1), [
    { type: 'function_call', call_id: 'call_1', arguments: '{"command":["ls"],"env":{"A":"b"}}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a' },
    { type: 'function_call', call_id: 'call_2', arguments: '{"command":["ls"]}' },
    { type: 'function_call_output', call_id: 'call_2', output: 'b' },
  ])
})

t.test('or the id of the item of its call', async t => {
  const call = { type: 'local_shell_call', status: 'completed', action: { type: 'exec', command: ['ls'], env: {} } }
  const history = [
    { role: 'user', content: 'Go.' },
    { ...call, id: 'lsh_1', call_id: 'call_1' },
    { ...call, id: 'lsh_2', call_id: 'lsh_1' },
    { type: 'local_shell_call_output', id: 'lsh_2', output: 'b' },
    { type: 'local_shell_call_output', id: 'lsh_1', output: 'a' },
  ]
  const clash = await seen(t, { input: history }, [text('Done'), stop])
  t.same([clash.status, clash.error?.param], [400, 'input[4].id'], 'a call_id counts before the id of an item')
  const { request } = await seen(t, { input: history.slice(0, 2).concat({ ...history[4]! }) }, [text('Done'), stop])
  t.match(request.input.slice(1), [
    { type: 'function_call', call_id: 'call_1' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a' },
  ])
})

t.test('an output without its call is a 400', async t => {
  const outputs = [
    [{ type: 'shell_call_output', call_id: 'call_1', output: [] }, 'input[0].call_id'],
    [{ type: 'apply_patch_call_output', call_id: 'call_1', status: 'completed' }, 'input[0].call_id'],
    [{ type: 'local_shell_call_output', id: 'call_1', output: '' }, 'input[0].id'],
    [{ type: 'tool_search_output', call_id: 'call_1', tools: [] }, 'input[0].call_id'],
  ] as const
  for (const [output, param] of outputs) {
    const { status, error } = await seen(t, { input: [output] }, [stop])
    t.same([status, error?.param], [400, param], output.type)
  }
})

t.test('names that clash with those of the caller differ, and each call finds its tool', async t => {
  const own = { type: 'function', name: 'shell', parameters: { type: 'object' } }
  const patch = { type: 'custom', name: 'apply_patch' }
  const body = { tools: [own, { type: 'shell' }, patch, { type: 'apply_patch' }] }
  const { request } = await seen(t, body, [text('Hi'), stop])
  const names = functionsOf(request).map(({ name }) => name)
  t.equal(new Set(names).size, 4)
  t.equal(names[0], 'shell')
  t.match(names[1], /^shell_[0-9a-f]{8}$/)
  const answer = [
    ...call('1', names[0]!, '{}'),
    ...call('2', names[1]!, '{"commands":["ls"]}'),
    ...call('3', names[2]!, '{"input":"x"}'),
    ...call('4', names[3]!, '{"type":"delete_file","path":"a"}'),
    called,
  ]
  const { output } = await seen(t, body, answer)
  t.match(output, [
    { type: 'function_call', name: 'shell' },
    { type: 'shell_call', call_id: 'call_2' },
    { type: 'custom_tool_call', name: 'apply_patch', input: 'x' },
    { type: 'apply_patch_call', call_id: 'call_4' },
  ])
})

t.test('parallel calls arrive one after the other', async t => {
  const answer: GenerationEvent[] = [
    { type: 'tool-call', key: 'a', callId: 'call_a', name: 'shell' },
    { type: 'tool-call', key: 'b', callId: 'call_b', name: 'apply_patch' },
    { type: 'tool-input', key: 'b', text: '{"type":"delete_file",' },
    { type: 'tool-input', key: 'a', text: '{"commands":' },
    { type: 'tool-input', key: 'b', text: '"path":"x"}' },
    { type: 'tool-input', key: 'a', text: '["ls"]}' },
    called,
  ]
  const { output } = await seen(t, { tools: [{ type: 'shell' }, { type: 'apply_patch' }] }, answer)
  t.match(output, [
    { type: 'shell_call', call_id: 'call_a', action: { commands: ['ls'] } },
    { type: 'apply_patch_call', call_id: 'call_b', operation: { path: 'x' } },
  ])
})

t.test('a call is shown as soon as it is complete, and by added and done alone', async t => {
  const acme = witness('acme', () => [...call('1', 'shell', '{"commands":["ls"]}'), text('Then.'), stop])
  const under = await gateway({ plugins: [acme.plugin] })
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true, tools: [{ type: 'shell' }] } })
  const events = (await reply.text()).split('\n\n').flatMap(frame => /^event: (.*)$/m.exec(frame)?.[1] ?? [])
  await under.stop()
  t.same(events.slice(2, 5), ['response.output_item.added', 'response.output_item.done', 'response.output_item.added'])
  t.notOk(events.some(event => event.includes('shell') || event.includes('arguments')))
})

t.test('a choice of a tool is one of its function', async t => {
  const tools = [{ type: 'shell' }, { type: 'apply_patch' }, { type: 'custom', name: 'note' }]
  const one = await seen(t, { tools, tool_choice: { type: 'apply_patch' } }, [text('Hi'), stop])
  t.same(one.request.tool_choice, { type: 'function', name: 'apply_patch' })
  const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'shell' }, { type: 'custom', name: 'note' }] }
  const answer = [...call('1', 'shell', '{"commands":["ls"]}'), ...call('2', 'apply_patch', '{"type":"delete_file","path":"a"}'), called]
  const some = await seen(t, { tools, tool_choice: allowed }, answer)
  t.same(some.request.tool_choice, 'required')
  t.same(
    functionsOf(some.request).map(({ name }) => name),
    ['shell', 'note'],
  )
  t.match(some.output, [{ type: 'shell_call' }], 'others are suppressed')
  t.equal(some.output.length, 1)
  const able = await seen(t, { tools, tool_choice: allowed }, answer, { allowedTools: true })
  t.match(able.request.tool_choice, {
    tools: [
      { type: 'function', name: 'shell' },
      { type: 'function', name: 'note' },
    ],
  })
  const forced = await seen(t, { tools, tool_choice: { type: 'apply_patch' } }, [text('Hi'), stop], native)
  t.same(forced.request.tool_choice, { type: 'apply_patch' })
  const missing = await seen(t, { tools: [{ type: 'shell' }], tool_choice: { type: 'apply_patch' } }, [stop])
  t.same([missing.status, missing.error?.param], [400, 'tool_choice'])
})

t.test('a search finds tools that can be called from then on', async t => {
  const search = { type: 'tool_search', execution: 'client' }
  const weather = { type: 'function', name: 'weather', description: 'Tells it.', parameters: { type: 'object' }, defer_loading: true }
  const note = { type: 'custom', name: 'note', defer_loading: true }
  const history = [
    { role: 'user', content: 'Rain?' },
    { type: 'tool_search_call', call_id: 'call_0', execution: 'client', arguments: { query: 'weather' }, status: 'completed' },
    {
      type: 'tool_search_output',
      call_id: 'call_0',
      execution: 'client',
      status: 'completed',
      tools: [
        { ...weather, output_schema: null },
        {
          type: 'namespace',
          name: 'mcp__demo',
          description: 'A server.',
          tools: [{ type: 'function', name: 'look', parameters: null }, 5],
        },
        { type: 'function', name: 'not a name' },
        'nonsense',
      ],
    },
  ]
  const before = await seen(t, { tools: [search, weather, note] }, [text('Hi'), stop])
  t.same(
    functionsOf(before.request).map(({ name }) => name),
    ['tool_search'],
    'tools that wait are not offered',
  )
  t.match(functionsOf(before.request)[0], { parameters: { required: ['query'] } })
  const answer = [...call('1', 'weather', '{}'), ...call('2', 'mcp__demo__look', '{}'), called]
  const after = await seen(t, { tools: [search, weather, note], input: history }, answer)
  t.same(
    functionsOf(after.request).map(({ name }) => name),
    ['tool_search', 'weather', 'mcp__demo__look'],
  )
  t.notOk(JSON.stringify(after.request.tools).includes('defer_loading'))
  t.equal(
    (after.request.input[2] as { readonly output?: unknown }).output,
    'These tools can be called from now on: weather, mcp__demo__look.',
  )
  t.match(after.output, [
    { type: 'function_call', name: 'weather' },
    { type: 'function_call', name: 'look', namespace: 'mcp__demo' },
  ])
  const longer = [...history, { role: 'user', content: 'And?' }]
  const later = await seen(t, { tools: [search, weather, note], input: longer }, answer)
  t.same(later.request.tools, after.request.tools, 'longer conversations begin as shorter ones')
  t.same(later.request.input.slice(0, 3), after.request.input)

  const chosen = await seen(t, { tools: [search, weather], tool_choice: { type: 'function', name: 'weather' } }, [text('Hi'), stop])
  t.same(
    functionsOf(chosen.request).map(({ name }) => name),
    ['tool_search', 'weather'],
    'the choice names it',
  )
  const found = { tools: [search], input: history, tool_choice: { type: 'function', name: 'weather' } }
  t.equal((await seen(t, found, [text('Hi'), stop])).status, 200, 'a tool that was found may be chosen')
})

t.test('without a search of the caller, tools that wait are offered at once', async t => {
  const weather = { type: 'function', name: 'weather', parameters: { type: 'object' }, defer_loading: true }
  const group = { type: 'namespace', name: 'mcp', tools: [{ type: 'function', name: 'look', defer_loading: true }] }
  const history = [
    { role: 'user', content: 'Rain?' },
    { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: ['x'] }, status: 'completed' },
    { type: 'tool_search_output', call_id: null, execution: 'server', status: 'completed', tools: [weather] },
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'later' }] },
  ]
  const { request, warnings } = await seen(t, { tools: [{ type: 'tool_search' }, weather, group], input: history }, [text('Hi'), stop])
  t.same(
    functionsOf(request).map(({ name }) => name),
    ['weather', 'mcp__look', 'later'],
  )
  t.same(request.input, [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rain?' }] }])
  t.match(warnings, [/^tools: tool_search is not available on this model and was left out/, /namespace/])
  const alone = await seen(t, { input: history }, [text('Hi'), stop])
  t.same([alone.request.input, alone.warnings], [request.input, []])
  const kept = await seen(t, { tools: [{ type: 'tool_search' }, weather], input: history }, [text('Hi'), stop], native)
  t.match(kept.request.tools, [{ type: 'tool_search' }, { defer_loading: true }])
  t.equal(kept.request.input.length, 4)
})

t.test('a call that was cut off is left out, since half a command must not run', async t => {
  const answer: GenerationEvent[] = [text('Now.'), ...call('1', 'shell', '{"commands":["rm -rf /tmp'), { type: 'finish', reason: 'length' }]
  const { output } = await seen(t, { tools: [{ type: 'shell' }] }, answer)
  t.match(output, [{ type: 'message' }])
  t.equal(output.length, 1)
})

t.test('an unknown tool reaches an upstream that may know it, and no other', async t => {
  const tools = [
    { type: 'hologram', depth: 3 },
    { type: 'function', name: 'f' },
  ]
  const kept = await seen(t, { tools }, [text('Hi'), stop], native)
  t.match(kept.request.tools, tools)
  const dropped = await seen(t, { tools }, [text('Hi'), stop])
  t.match(dropped.request.tools, [{ name: 'f' }])
  t.match(dropped.warnings, ['tools: hologram is not available on this model and was left out'])
  const forced = await seen(t, { tools, tool_choice: { type: 'hologram' } }, [stop])
  t.same([forced.status, forced.error?.param], [400, 'tool_choice'])
  t.match(forced.error?.message, /hologram/)
})

t.test('an unknown item reaches an upstream that may know it, and is a 400 elsewhere', async t => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'hologram_call', depth: 3 },
  ]
  const kept = await seen(t, { input }, [text('Hi'), stop], native)
  t.same(kept.request.input[1], { type: 'hologram_call', depth: 3 })
  const refused = await seen(t, { input }, [stop])
  t.same([refused.status, refused.error?.param], [400, 'input[1]'])
  t.match(refused.error?.message, /Items of type hologram_call cannot be sent to acme\/m/)
  for (const type of ['vendor', 'two words', '', 5]) {
    const { status } = await seen(t, { input: [{ type, extra: {} }], tools: [{ type, extra: {} }] }, [stop], native)
    t.equal(status, 400, `${type}`)
  }
})

t.test('a request with an unknown item goes to the endpoints that take it', async t => {
  const plain = witness('acme', () => [text('No'), stop])
  const able = witness('able', () => [text('Yes'), stop], { capabilities: native })
  const under = await gateway({ plugins: [plain.plugin, able.plugin] })
  const routing = { model: { fallbacks: ['able/m'] } }
  const { status } = await ask(under, { model: 'acme/m', routing, input: [{ type: 'hologram_call' }] })
  await under.stop()
  t.same([status, plain.calls.length, able.calls.length], [200, 0, 1])
})

import assert from 'node:assert/strict'
import t, { type Test } from 'tap'
import fc from 'fast-check'
import type { Capabilities, GenerationEvent } from '../../../core/index.ts'
import type { CustomTool, FunctionTool, ToolDefinition, UpstreamRequestBody } from '../../../core/kit.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { runs } from '../../kit/runs.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'

const called: GenerationEvent = { type: 'finish', reason: 'tool-calls' }
const native: Capabilities = { customTools: true, namespaceTools: true, allowedTools: true }

const begin = (key: string, name: string, more: object = {}): GenerationEvent => ({
  type: 'tool-call',
  key,
  callId: `call_${key}`,
  name,
  ...more,
})
const input = (key: string, text: string): GenerationEvent => ({ type: 'tool-input', key, text })
const call = (key: string, name: string, args: string): GenerationEvent[] => [begin(key, name), input(key, args)]

interface Seen {
  readonly status: number
  readonly request: UpstreamRequestBody | undefined
  readonly output: readonly Record<string, unknown>[]
  readonly warnings: readonly string[]
  readonly response: Record<string, unknown>
  readonly param: string | null | undefined
}

/** The request as an endpoint with these capabilities sees it, and the answer as the caller sees it, streamed or not. */
async function seen(t: Test, body: object, answer: readonly GenerationEvent[], capabilities: Capabilities = {}): Promise<Seen> {
  const acme = witness('acme', () => answer, { capabilities })
  const under = await gateway({ plugins: [acme.plugin] })
  const one = async (stream: boolean): Promise<Seen> => {
    const reply = await ask(under, { model: 'acme/m', stream, ...body })
    const warnings = reply.headers.get('x-gateway-warnings')?.split('; ') ?? []
    if (reply.status !== 200)
      return { status: reply.status, request: undefined, output: [], warnings, response: {}, param: reply.error.param }
    const { id: _, created_at: _c, completed_at: _d, ...response } = reply.response as unknown as Record<string, unknown>
    const output = (response['output'] as Record<string, unknown>[]).map(({ id: _, ...item }) => item)
    return { status: 200, request: acme.calls.at(-1)!.request, output, warnings, response: { ...response, output }, param: undefined }
  }
  const whole = await one(false)
  const streamed = await one(true)
  await under.stop()
  t.same(streamed.response, whole.response, 'a stream says the same')
  t.same(streamed.request?.tools, whole.request?.tools)
  return whole
}

const patch = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Changes files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin"' },
} as const satisfies CustomTool
const look = { type: 'function', name: 'look', parameters: { type: 'object' } } as const satisfies FunctionTool
const agents = {
  type: 'namespace',
  name: 'agents',
  description: 'Other agents.',
  tools: [
    { type: 'function', name: 'spawn', description: 'Starts one.' },
    { type: 'custom', name: 'tell' },
  ],
} as const satisfies ToolDefinition

const names = (request: UpstreamRequestBody | undefined): readonly unknown[] =>
  (request?.tools ?? []).map(({ type, ...tool }) => `${type} ${'name' in tool ? String(tool.name) : ''}`)

t.test('a custom tool is a function with one string, and its calls are custom again', async t => {
  const history = [
    { role: 'user', content: 'Patch it.' },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_0', name: 'apply_patch', input: 'say "hi"\n', status: 'completed' },
    { type: 'custom_tool_call_output', call_id: 'call_0', output: 'Done' },
  ]
  const answer = [
    begin('1', 'apply_patch'),
    input('1', '{"inp'),
    input('1', 'ut": "*** Begin\\n\\u00e9"}'),
    ...call('2', 'look', '{}'),
    called,
  ]
  const { request, output, warnings, response } = await seen(
    t,
    { input: history, tools: [look, patch], tool_choice: { type: 'custom', name: 'apply_patch' } },
    answer,
  )
  const [untouched, lowered] = request!.tools as FunctionTool[]
  t.same(untouched, look)
  t.match(lowered, {
    type: 'function',
    name: 'apply_patch',
    parameters: { properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false },
  })
  t.match(lowered!.description, /^Changes files\.\n\n.*`input`[^]*lark grammar:\nstart: "\*\*\* Begin"$/, 'the grammar is described')
  t.same(request!.tool_choice, { type: 'function', name: 'apply_patch' })
  t.match(request!.input.slice(1), [
    { type: 'function_call', call_id: 'call_0', name: 'apply_patch', arguments: '{"input":"say \\"hi\\"\\n"}' },
    { type: 'function_call_output', call_id: 'call_0', output: 'Done' },
  ])
  t.notOk('input' in request!.input[1]!)
  t.same(output, [
    { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '*** Begin\né', status: 'completed' },
    { type: 'function_call', call_id: 'call_2', name: 'look', arguments: '{}', status: 'completed' },
  ])
  t.match(warnings, [/^tools: custom /, /^tools: the lark grammar of apply_patch /])
  t.match(response, { tools: [{ type: 'function' }, { type: 'custom' }], tool_choice: { type: 'custom' } }, 'the echo is what was sent')

  const plain = await seen(t, { tools: [{ type: 'custom', name: 'note', format: { type: 'text' } }] }, [text('Hi'), stop])
  t.match((plain.request!.tools as FunctionTool[])[0]!.description, /^The tool receives the string `input`/)
  const able = await seen(
    t,
    { input: history, tools: [patch] },
    [begin('1', 'apply_patch', { custom: true }), input('1', '{"input":"x"}'), called],
    native,
  )
  t.same(able.request!.tools, [patch], 'where they are known they stay')
  t.match(able.request!.input[1], { type: 'custom_tool_call', input: 'say "hi"\n' })
  t.match(able.output, [{ type: 'custom_tool_call', input: '{"input":"x"}' }])
  t.same(able.warnings, [])
  const before = await seen(t, { input: history }, [text('Hi'), stop])
  t.match(before.request!.input[1], { type: 'function_call' }, 'a conversation may have them when the request does not')
  t.match(before.warnings, [/^input: custom /])
})

t.test('tools of a namespace stand by themselves, and their calls have it again', async t => {
  const history = [
    { role: 'user', content: 'Go.' },
    { type: 'function_call', call_id: 'call_0', name: 'spawn', namespace: 'agents', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_0', output: 'ok' },
    { type: 'custom_tool_call', call_id: 'call_9', name: 'gone', namespace: 'old__', input: 'x' },
    { type: 'custom_tool_call_output', call_id: 'call_9', output: 'ok' },
  ]
  const body = { input: history, tools: [look, agents], tool_choice: { type: 'function', name: 'spawn' } }
  const answer = [
    ...call('1', 'agents__spawn', '{"n":1}'),
    ...call('2', 'agents__tell', '{"input":"hi"}'),
    ...call('3', 'look', '{}'),
    called,
  ]
  const { request, output, warnings } = await seen(t, body, answer)
  t.same(names(request), ['function look', 'function agents__spawn', 'function agents__tell'])
  t.match((request!.tools as FunctionTool[])[1]!.description, /^Starts one\.\n\n.*"agents": Other agents\.$/, 'what is said of all is kept')
  t.same(request!.tool_choice, { type: 'function', name: 'agents__spawn' })
  t.match(request!.input[1], { name: 'agents__spawn', namespace: undefined })
  t.match(request!.input[3], { type: 'function_call', name: 'old__gone', namespace: undefined })
  t.match(output, [
    { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{"n":1}' },
    { type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'hi' },
    { type: 'function_call', name: 'look', namespace: undefined },
  ])
  t.match(warnings, [/^tools: custom /, /^tools: namespace /])

  const half = await seen(t, body, [begin('2', 'agents__tell', { custom: true }), input('2', 'hi'), called], { customTools: true })
  t.same(
    names(half.request),
    ['function look', 'function agents__spawn', 'custom agents__tell'],
    'custom tools may be known without namespaces',
  )
  t.match(half.output, [{ type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'hi' }])
  const other = await seen(t, body, [begin('2', 'tell', { namespace: 'agents' }), input('2', '{"input":"hi"}'), called], {
    namespaceTools: true,
  })
  t.match(other.request!.tools![1], {
    type: 'namespace',
    tools: [
      { type: 'function', name: 'spawn' },
      { type: 'function', name: 'tell' },
    ],
  })
  t.match(other.request!.input[1], { name: 'spawn', namespace: 'agents' })
  t.match(
    other.output,
    [{ type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'hi' }],
    'and namespaces without custom tools',
  )

  for (const choice of [
    { type: 'namespace', name: 'agents' },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'namespace', name: 'agents' }] },
  ]) {
    const all = await seen(t, { ...body, tool_choice: choice }, answer)
    t.same(names(all.request), ['function agents__spawn', 'function agents__tell'], 'one of a whole namespace')
    t.equal(all.request!.tool_choice, 'required')
    const listed = await seen(t, { ...body, tool_choice: choice }, answer, { allowedTools: true })
    t.match(listed.request!.tool_choice, { mode: 'required', tools: [{ name: 'agents__spawn' }, { name: 'agents__tell' }] })
  }
  const untouched = await seen(t, body, [begin('1', 'spawn', { namespace: 'agents' }), input('1', '{}'), called], native)
  t.same([untouched.request!.tools, untouched.warnings], [body.tools, []])
})

t.test('no two tools get one name, and none is longer than vendors take', async t => {
  const long = 'n'.repeat(128)
  const other = `${'n'.repeat(127)}m`
  const tools = [
    { type: 'namespace', name: 'a', tools: ['b', 'b__c', 'd'].map(name => ({ type: 'function', name })) },
    { type: 'function', name: 'a__b' },
    { type: 'custom', name: 'a__d' },
    { type: 'namespace', name: 'a__b', tools: [{ type: 'function', name: 'c' }] },
    { type: 'function', name: long },
    { type: 'custom', name: other },
    { type: 'namespace', name: long, tools: [long, other].map(name => ({ type: 'custom', name })) },
  ]
  const first = await seen(t, { tools }, [text('Hi'), stop])
  const wire = (first.request!.tools as FunctionTool[]).map(({ name }) => name)
  t.equal(new Set(wire).size, 10)
  t.ok(
    wire.every(name => /^[a-zA-Z0-9_-]{1,64}$/.test(name)),
    wire.join(' '),
  )
  t.same([wire[3], wire[1]], ['a__b', 'a__b__c'], 'a tool by itself keeps its name')
  t.match(first.warnings.join(), 'it was shortened')
  const answer = [...wire.flatMap((name, index) => call(String(index), name, '{"input":"x"}')), called]
  const input = [
    { role: 'user', content: 'Go.' },
    { type: 'custom_tool_call', call_id: 'c', name: long, namespace: long, input: '' },
    { type: 'custom_tool_call_output', call_id: 'c', output: '' },
  ]
  const again = await seen(t, { tools, input, tool_choice: { type: 'custom', name: 'a__d' } }, answer)
  t.same(names(again.request), names(first.request), 'they are the same in every turn')
  t.match(again.request!.input[1], { name: wire[8] })
  t.match(again.request!.tool_choice, { type: 'function', name: wire[4] })
  t.same(
    again.output.map(({ type, name, namespace }) => [type, namespace, name]),
    [
      ['function_call', 'a', 'b'],
      ['function_call', 'a', 'b__c'],
      ['function_call', 'a', 'd'],
      ['function_call', undefined, 'a__b'],
      ['custom_tool_call', undefined, 'a__d'],
      ['function_call', 'a__b', 'c'],
      ['function_call', undefined, long],
      ['custom_tool_call', undefined, other],
      ['custom_tool_call', long, long],
      ['custom_tool_call', long, other],
    ],
    'each is found again',
  )
  const listed = { type: 'allowed_tools', mode: 'auto', tools: ['b', 'd'].map(name => ({ type: 'function', name })) }
  const few = await seen(t, { tools, tool_choice: listed }, answer)
  t.same(names(few.request), [`function ${wire[0]}`, `function ${wire[2]}`], 'whichever are allowed')
  t.same(names((await seen(t, { tools: tools.slice(4, 5) }, [text('Hi'), stop], native)).request), [`function ${long}`])
})

t.test('malformed arguments stay unchanged, and calls that were never offered pass', async t => {
  const tools = [look, patch]
  const inputs: readonly (readonly [args: string, input: string])[] = [
    ['{"input":"x","why":"y"}', 'x'],
    ['{}', ''],
    ['', ''],
    ['{"patch":"x"}', '{"patch":"x"}'],
    ['{"input":7}', '{"input":7}'],
    ['"x"', '"x"'],
    ['null', 'null'],
    ['*** Begin', '*** Begin'],
  ]
  for (const [args, expected] of inputs) {
    const { output } = await seen(t, { tools }, [...call('1', 'apply_patch', args), called])
    t.match(output, [{ type: 'custom_tool_call', input: expected, status: 'completed' }], args)
  }
  const cut = await seen(t, { tools }, [text('So:'), ...call('1', 'apply_patch', '{"input":"*** Be'), { type: 'finish', reason: 'length' }])
  t.match(cut.output[1], { type: 'custom_tool_call', input: '{"input":"*** Be', status: 'incomplete' })
  t.match(cut.response, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  const foreign = await seen(t, { tools }, [
    ...call('1', 'invented', '{"input":"x"}'),
    begin('2', 'raw', { custom: true, namespace: 'n' }),
    input('2', '{"input":"x"}'),
    called,
  ])
  t.match(foreign.output, [
    { type: 'function_call', name: 'invented', arguments: '{"input":"x"}' },
    { type: 'custom_tool_call', name: 'raw', namespace: 'n', input: '{"input":"x"}' },
  ])
})

t.test('however calls are cut and mixed, the caller reads what was called', async t => {
  let events: readonly GenerationEvent[] = []
  const lowered = witness('lowered', () => events)
  const under = await gateway({ plugins: [lowered.plugin] })
  t.teardown(under.stop)
  const one = fc.record({
    custom: fc.boolean(),
    text: fc.string({ unit: fc.constantFrom('}', '{', '"', '\\', '\n', 'é', '\u{1f512}'), maxLength: 12 }),
    cuts: fc.array(fc.nat({ max: 30 }), { maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
      fc.boolean(),
      async (calls, turns, stream) => {
        const queues = calls.map(({ custom, text, cuts }, index) => {
          const args = JSON.stringify({ input: text })
          const places = [0, ...cuts.filter(cut => cut < args.length).toSorted((a, b) => a - b), args.length]
          const pieces = places.slice(1).map((end, nth) => input(String(index), args.slice(places[nth], end)))
          return [begin(String(index), custom ? 'apply_patch' : 'look'), ...pieces]
        })
        // A call begins after those before it, as with every vendor; then any of them may go on.
        const mixed: GenerationEvent[] = []
        let begun = 0
        for (const turn of turns) {
          const place = turn % (begun + 1)
          const next = queues[place]?.shift()
          if (!next) continue
          mixed.push(next)
          if (place === begun) begun++
        }
        events = [...mixed, ...queues.flat(), called]
        const { response } = await ask(under, { model: 'lowered/m', stream, tools: [look, patch] })
        assert.deepEqual(
          response.output.map(item => item['input'] ?? item['arguments']),
          calls.map(({ custom, text }) => (custom ? text : JSON.stringify({ input: text }))),
        )
      },
    ),
    runs(100),
  )
})

t.test('nothing waits for a custom call that is over', async t => {
  const streams: readonly (readonly GenerationEvent[])[] = [
    [
      ...call('1', 'look', '{"a":1}'),
      ...call('2', 'apply_patch', '{"input":"x"}'),
      ...call('3', 'apply_patch', '{"input":"y"}'),
      text('now'),
    ],
    [begin('1', 'apply_patch'), begin('2', 'look'), input('1', '{"input":"x"}'), input('2', '{"now":1')],
  ]
  for (const events of streams) {
    const gate = Promise.withResolvers<void>()
    const acme = scripted('acme', async function* () {
      yield events
      await gate.promise
      yield [...(events.length === 4 ? [input('2', '}')] : []), called]
    })
    const under = await gateway({ plugins: [acme] })
    const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', stream: true, tools: [look, patch] } })
    let read = ''
    for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
      read += chunk
      if (read.includes('now')) gate.resolve()
    }
    t.match(read, 'response.completed', 'it came while the answer was still going on')
    await under.stop()
  }
})

t.test('a call outside the allowed tools never happened', async t => {
  const tools = [look, { ...look, name: 'other' }, patch, agents]
  const allowed = (mode: string, ...tools: object[]): object => ({ type: 'allowed_tools', mode, tools })
  const wild = [
    text('So'),
    ...call('1', 'other', '{"a":1}'),
    text(' it is'),
    begin('2', 'look'),
    begin('3', 'apply_patch'),
    input('3', '{"inp'),
    input('2', '{}'),
    input('3', 'ut":"x"}'),
    called,
  ]
  const { request, output, warnings } = await seen(t, { tools, tool_choice: allowed('auto', { type: 'function', name: 'look' }) }, wild)
  t.same(request!.tools, [look], 'no other is offered')
  t.equal(request!.tool_choice, 'auto')
  t.same(warnings, [], 'which takes nothing from the caller')
  t.same(
    output.map(({ type, name }) => [type, name]),
    [
      ['message', undefined],
      ['message', undefined],
      ['function_call', 'look'],
    ],
  )
  const none = await seen(
    t,
    { tools, tool_choice: allowed('required', { type: 'custom', name: 'apply_patch' }, { type: 'custom', name: 'tell' }) },
    [...call('1', 'other', '{}'), called],
  )
  t.same(names(none.request), ['function apply_patch', 'function agents__tell'])
  t.equal(none.request!.tool_choice, 'required')
  t.match(none, { output: [], response: { status: 'completed' } }, 'the answer ends as one without calls')
  t.match(none.warnings.at(-1), /^tool_choice: a call of other /, 'and where it can still be said, it is')
  for (const choice of ['none', allowed('none', { type: 'function', name: 'look' })]) {
    const silent = await seen(t, { tools, tool_choice: choice }, wild)
    t.equal(silent.request!.tool_choice, 'none')
    t.same(
      silent.output.map(({ type }) => type),
      ['message', 'message'],
    )
  }
  const listed = allowed('auto', { type: 'function', name: 'look' }, { type: 'custom', name: 'apply_patch' })
  const able = await seen(t, { tools, tool_choice: listed }, wild, native)
  t.same([able.request!.tools, able.request!.tool_choice], [tools, listed], 'where lists are known they stay')
  t.same(able.output.filter(({ name }) => name).length, 1, 'custom calls are no calls of functions')
  const half = await seen(t, { tools, tool_choice: listed }, wild, { allowedTools: true })
  t.equal(half.request!.tools!.length, 5)
  t.match(half.request!.tool_choice, {
    tools: [
      { type: 'function', name: 'look' },
      { type: 'function', name: 'apply_patch' },
    ],
  })
  t.match(half.output.slice(2), [{ name: 'look' }, { name: 'apply_patch', input: 'x' }])
  const free = await seen(t, { tools: [look], tool_choice: 'required' }, [...call('1', 'other', '{}'), called])
  t.match(free.output, [{ name: 'other' }], 'other choices exclude nothing')
})

t.test('only a web search allowed leaves the functions out', async t => {
  const tools = [look, { type: 'web_search' }]
  const search = (mode: string): object => ({ tools, tool_choice: { type: 'allowed_tools', mode, tools: [{ type: 'web_search' }] } })
  const auto = await seen(t, search('auto'), [...call('1', 'look', '{}'), called])
  t.same(auto.request!.tools, [])
  t.same(auto.output, [])
  const forced = await seen(t, search('required'), [stop])
  t.match(forced, { status: 400, param: 'tool_choice' }, 'which nothing here runs')
})

t.test('a custom call goes from one provider to the next', async t => {
  const args = JSON.stringify({ input: 'x\n"y"' })
  const lowered = witness('lowered', ({ request: { input } }) =>
    input.length > 1 ? [text('Done'), stop] : [...call('1', 'agents__tell', args), called],
  )
  const able = witness(
    'able',
    ({ request: { input } }) =>
      input.length > 1
        ? [text('Done'), stop]
        : [begin('1', 'tell', { namespace: 'agents', custom: true }), { type: 'tool-input', key: '1', text: 'x\n"y"' }, called],
    { capabilities: native },
  )
  const under = await gateway({ plugins: [lowered.plugin, able.plugin] })
  t.teardown(under.stop)
  const results = [{ type: 'custom_tool_call_output', call_id: 'call_1', output: 'ok' }]
  for (const [from, to] of [
    ['lowered', 'able'],
    ['able', 'lowered'],
  ]) {
    const { response } = await ask(under, { model: `${from}/m`, tools: [agents], store: true })
    t.match(response.output, [{ type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'x\n"y"' }])
    const chained = { previous_response_id: response.id, input: results }
    const replayed = { input: [{ role: 'user', content: 'hi' }, ...response.output, ...results] }
    for (const body of [chained, replayed]) {
      t.equal((await ask(under, { model: `${to}/m`, tools: [agents], ...body })).status, 200)
      const [, call, result] = (to === 'able' ? able : lowered).calls.at(-1)!.request.input
      if (to === 'able')
        t.match(
          [call, result],
          [{ type: 'custom_tool_call', name: 'tell', namespace: 'agents', input: 'x\n"y"' }, { type: 'custom_tool_call_output' }],
        )
      else t.match([call, result], [{ type: 'function_call', name: 'agents__tell', arguments: args }, { type: 'function_call_output' }])
    }
  }
})

t.test('tools and format are lowered together', async t => {
  const format = { type: 'json_schema', name: 'demo', schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } }
  const body = { tools: [patch, agents], text: { format } }
  const answer = [text('{"a"'), text(':1}'), ...call('1', 'apply_patch', '{"input":"x"}'), ...call('2', 'agents__spawn', '{}'), called]
  const { output, request } = await seen(t, body, answer, { structuredOutput: 'json_object' })
  t.match(request, { text: { format: { type: 'json_object' } }, tools: [{ type: 'function' }, {}, {}] })
  t.match(output, [
    { type: 'message', content: [{ text: '{"a":1}' }] },
    { type: 'custom_tool_call', input: 'x' },
    { type: 'function_call', name: 'spawn', namespace: 'agents' },
  ])
})

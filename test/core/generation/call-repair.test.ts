import t, { type Test } from 'tap'
import { ProviderFailure, type GenerationEvent, type ProviderCall } from '../../../core/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, listing, stop, text, usage, witness, type Witness } from '../../kit/stage.ts'

const called: GenerationEvent = { type: 'finish', reason: 'tool-calls' }
const call = (key: string, name: string, input: string): GenerationEvent[] => [
  { type: 'tool-call', key, callId: `call_${key}`, name },
  { type: 'tool-input', key, text: input },
]
const dated = (input: string): string => JSON.stringify({ input })
const date = { type: 'custom', name: 'date', format: { type: 'grammar', syntax: 'regex', definition: String.raw`\d{4}-\d\d` } }
const priced = listing({
  model: 'm',
  endpoints: [{ provider: 'acme', upstreamModel: 'm', price: { input: 1_000_000, output: 1_000_000 } }],
})

async function asked(t: Test, acme: Witness, body: object, plugins: readonly ReturnType<typeof guarding>[] = []) {
  const under = await gateway({ plugins: [acme.plugin, priced, ...plugins] })
  t.teardown(under.stop)
  const reply = await ask(under, { model: 'acme/m', stream: true, ...body })
  const { status, headers, requestId } = reply
  const [response, error] = status === 200 ? [reply.response, undefined] : [undefined, reply.error]
  return { status, headers, response, error, record: await under.record(requestId) }
}

/** The last message that a model reads. */
const textOf = (each: ProviderCall | undefined): string =>
  (each!.request.input.at(-1) as { readonly content: readonly { readonly text: string }[] }).content[0]!.text

/** Answers each call with the next list. */
const inTurn = (...answers: readonly (readonly GenerationEvent[])[]): Witness => witness('acme', (_, count) => answers[count - 1]!)

t.test('a call that matches the grammar of its tool is shown as it is', async t => {
  const acme = inTurn([text('Now.'), ...call('1', 'date', dated('2026-11')), usage(3, 2), called])
  const { response, headers } = await asked(t, acme, { tools: [date] })
  t.match(response?.output, [{ type: 'message' }, { type: 'custom_tool_call', call_id: 'call_1', name: 'date', input: '2026-11' }])
  t.match(headers.get('x-gateway-warnings'), /a regex grammar is not enforced by this model/)
  t.equal(acme.calls.length, 1)
})

t.test('a call that does not match is asked for once more, and both rounds are billed', async t => {
  const acme = inTurn(
    [text('Now.'), ...call('1', 'date', dated('November')), ...call('2', 'look', '{}'), usage(3, 2), called],
    [text('Sorry.'), ...call('9', 'date', dated('2026-11')), usage(5, 4), called],
  )
  const { response, record } = await asked(t, acme, { tools: [date, { type: 'function', name: 'look' }] })
  t.match(response?.output, [
    { type: 'message', content: [{ text: 'Now.' }] },
    { type: 'custom_tool_call', call_id: 'call_1', input: '2026-11' },
    { type: 'function_call', call_id: 'call_2', name: 'look' },
  ])
  t.equal(response?.output.length, 3)
  t.match(response?.usage, { input_tokens: 8, output_tokens: 6 })
  t.match(record, { status: 200, costUsd: 14 })
  const [first, second] = acme.calls
  t.same(second!.request.tools, first!.request.tools)
  t.same(second!.request.input.slice(0, -1), first!.request.input)
  t.match(textOf(second), /the tool "date"[^]*November[^]*: \\d\{4\}-\\d\\d\n/)
})

t.test('a call that is wrong twice fails the answer, and is never shown', async t => {
  for (const again of [
    [...call('1', 'date', dated('Nov')), usage(1, 1), called],
    [text('No.'), usage(1, 1), stop],
  ]) {
    const acme = inTurn([text('Now.'), ...call('1', 'date', dated('November')), usage(1, 1), called], again)
    const { response, record } = await asked(t, acme, { tools: [date] })
    t.match(response, { status: 'failed', error: { code: 'provider_error' }, output: [{ type: 'message' }] })
    t.notMatch(JSON.stringify(response), /Nov/)
    t.match(record, { errorCode: 'provider_error', costUsd: 4 })
    t.equal(acme.calls.length, 2)
  }
})

t.test('arguments that make no call are asked for once more', async t => {
  const wrong = [
    ['shell', '{"commands":"ls"}', /"commands" must be an array/],
    ['shell', '{"commands":[', /must be a JSON object/],
    ['shell', '', /"commands" must be an array/],
    ['local_shell', '{"command":["ls"],"env":{"A":1}}', /"env" must be/],
    ['apply_patch', '{"type":"move_file","path":"a"}', /"type" must be one of/],
    ['apply_patch', '{"type":"create_file","path":"a"}', /"diff" must be/],
    ['apply_patch', '[]', /must be a JSON object/],
  ] as const
  const right: Readonly<Record<string, string>> = {
    shell: '{"commands":["ls"]}',
    local_shell: '{"command":["ls"]}',
    apply_patch: '{"type":"delete_file","path":"a"}',
  }
  for (const [type, input, problem] of wrong) {
    const acme = inTurn([...call('1', type, input), called], [...call('7', type, right[type]!), called])
    const { response } = await asked(t, acme, { tools: [{ type }] })
    t.match(response?.output, [{ type: `${type}_call`, call_id: 'call_1', status: 'completed' }], input)
    t.match(textOf(acme.calls[1]), problem)
  }
})

t.test('several wrong calls are asked for together, and keep their order', async t => {
  const acme = inTurn(
    [...call('1', 'date', dated('x')), ...call('2', 'shell', '{}'), ...call('3', 'date', dated('y')), called],
    [...call('1', 'date', dated('2026-01')), ...call('2', 'date', dated('2026-02')), ...call('3', 'shell', '{"commands":["ls"]}'), called],
  )
  const { response } = await asked(t, acme, { tools: [date, { type: 'shell' }] })
  t.match(response?.output, [
    { call_id: 'call_1', input: '2026-01' },
    { type: 'shell_call', call_id: 'call_2', action: { commands: ['ls'] } },
    { call_id: 'call_3', input: '2026-02' },
  ])
})

t.test('a grammar that cannot be checked is a 400 before the model is asked', async t => {
  for (const definition of ['(?=a)a', '(', 'a'.repeat(10_001)]) {
    const acme = inTurn([text('Hi'), stop])
    const { status, error } = await asked(t, acme, { tools: [{ ...date, format: { ...date.format, definition } }], stream: false })
    t.same([status, error?.param], [400, 'tools'], definition.slice(0, 9))
    t.match(error?.message, /the tool "date"/)
    t.equal(acme.calls.length, 0)
  }
})

t.test('an endpoint that enforces grammars is trusted', async t => {
  const custom: GenerationEvent[] = [{ type: 'tool-call', key: '1', callId: 'call_1', name: 'date', custom: true }]
  const free = witness('acme', () => [...custom, { type: 'tool-input', key: '1', text: 'Nov' }, called], {
    capabilities: { customTools: true },
  })
  t.match((await asked(t, free, { tools: [date] })).response?.output, [{ input: 'Nov' }])
  const lax = witness('acme', (_, count) => [...custom, { type: 'tool-input', key: '1', text: count === 1 ? 'Nov' : '2026-11' }, called], {
    capabilities: { customTools: true, grammars: false },
  })
  t.match((await asked(t, lax, { tools: [date] })).response?.output, [{ input: '2026-11' }])
  t.match(lax.calls[0]!.request.tools, [date])
})

t.test('the failure of the second round is that of the answer', async t => {
  const acme = witness('acme', (_, count) => {
    if (count === 1) return [...call('1', 'date', dated('x')), usage(1, 1), called]
    throw new ProviderFailure({ kind: 'overloaded', message: 'Busy.' })
  })
  const { response } = await asked(t, acme, { tools: [date] })
  t.match(response, { status: 'failed', output: [] })
})

t.test('guardrails see the items of the tools, and not what was wrong', async t => {
  const seen: string[] = []
  const guard = guarding({
    item: ({ kind, texts }) => {
      seen.push(kind, ...texts.map(each => each.text))
      return { pass: true }
    },
  })
  const acme = inTurn([...call('1', 'shell', '{"commands":[7]}'), called], [...call('1', 'shell', '{"commands":["echo secret"]}'), called])
  const { response } = await asked(t, acme, { tools: [{ type: 'shell' }] }, [guard])
  t.match(response?.output, [{ type: 'shell_call', action: { commands: ['echo secret'] } }])
  t.same(seen, ['foreign', 'echo secret'])
  t.notMatch(textOf(acme.calls[1]), /\[7/, 'a model reads no words that nobody has checked')
})

t.test('where the credit does not cover to ask once more, the answer ends without the call', async t => {
  const acme = inTurn([text('Now.'), ...call('1', 'date', dated('November')), usage(90, 2), called])
  const under = await gateway({ plugins: [acme.plugin, priced], key: { name: 'k', spendCapUsd: 200 } })
  t.teardown(under.stop)
  const { status, response } = await ask(under, { model: 'acme/m', stream: true, tools: [date], max_output_tokens: 20 })
  t.equal(status, 200)
  t.match(response, { status: 'incomplete', output: [{ type: 'message' }] })
  t.equal(response.output.length, 1)
  t.equal(acme.calls.length, 1)
})

t.test('a second round that is cut fails the answer, and both are paid', async t => {
  const acme = witness('acme', (_, count) => (count === 1 ? [...call('1', 'date', dated('x')), usage(3, 2), called] : [text('Hm')]))
  const { response, record } = await asked(t, acme, { tools: [date] })
  t.match(response, { status: 'failed', output: [] }, 'a stream that is cut is never a success')
  t.ok((record.costUsd ?? 0) >= 5)
})

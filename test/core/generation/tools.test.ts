import t from 'tap'
import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, said, stop, text, usage, witness } from '../../kit/stage.ts'
import { calling, lookup, outputsIn, toCall, typesIn } from '../../kit/tool-stage.ts'

const tools = [{ type: 'lookup' }]
const own = { type: 'function', name: 'own', parameters: { type: 'object' } }

/** Calls the tool in the first rounds, then answers. */
function afterRounds(rounds: number): (call: ProviderCall, count: number) => Iterable<GenerationEvent> {
  return (_, count) =>
    count <= rounds
      ? [...calling('lookup', { word: `w${count}` }), usage(10, 5), toCall]
      : [text(`answer after ${rounds}`), usage(10, 5), stop]
}

t.test('the gateway runs calls, and the caller sees one answer', async t => {
  for (const stream of [false, true])
    for (const rounds of [0, 1, 5]) {
      const acme = witness('acme', afterRounds(rounds))
      const tool = lookup()
      const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
      const { status, response } = await ask(under, { model: 'acme/m', tools, stream })
      t.equal(status, 200)
      t.equal(said(response), `answer after ${rounds}`)
      t.strictSame(
        response.output.map(item => item['type']),
        ['message'],
        'calls of the tool are not shown',
      )
      t.strictSame(response.tools, tools, 'the entry is echoed as it was sent')
      t.equal((response.usage as { input_tokens?: number }).input_tokens, 10 * (rounds + 1))
      t.equal(tool.ran.length, rounds)
      t.equal(acme.calls.length, rounds + 1)
      t.match(acme.calls[0]!.request.tools, [{ type: 'function', name: 'lookup', strict: false }])
      t.match(
        outputsIn(acme.calls.at(-1)!),
        Array.from({ length: rounds }, (_, index) => new RegExp(`about w${index + 1}`)),
      )
      await under.stop()
    }
})

t.test('a model that never stops is asked once more without the tool', async t => {
  const acme = witness('acme', ({ request }) =>
    request.tool_choice === 'none' ? [text('enough'), stop] : [...calling('lookup', { word: 'again' }), toCall],
  )
  const tool = lookup()
  const under = await gateway({ plugins: [acme.plugin, tool.plugin], settings: { maxToolRounds: 3 } })
  const { response } = await ask(under, { model: 'acme/m', tools })
  t.equal(said(response), 'enough')
  t.equal(tool.ran.length, 3)
  t.equal(acme.calls.length, 4)
  t.equal(acme.calls[3]!.request.tools?.length, 1, 'the function stays declared, since the conversation has calls of it')

  const stubborn = witness('acme', () => [...calling('lookup', { word: 'again' }), toCall])
  const other = await gateway({ plugins: [stubborn.plugin, lookup().plugin], settings: { maxToolRounds: 3 } })
  const answer = await ask(other, { model: 'acme/m', tools })
  t.equal(answer.status, 200)
  t.equal(stubborn.calls.length, 4)
  t.strictSame(answer.response.output, [])
  await under.stop()
  await other.stop()
})

t.test('the setting maxToolCalls limits the calls of a request that names no limit, or a higher one', async t => {
  const many = Array.from({ length: 200 }, (_, index) => calling('lookup', { word: `w${index}` }, `k${index}`)).flat()
  for (const limit of [{}, { max_tool_calls: 1_000 }]) {
    const acme = witness('acme', (_, count) => (count === 1 ? [...many, toCall] : [text('done'), stop]))
    const tool = lookup()
    const under = await gateway({ plugins: [acme.plugin, tool.plugin], settings: { maxToolCalls: 5 } })
    const { response } = await ask(under, { model: 'acme/m', tools, ...limit })
    t.equal(said(response), 'done')
    t.equal(tool.ran.length, 5)
    await under.stop()
  }
})

t.test('max_tool_calls limits the calls, also in the middle of parallel ones', async t => {
  const acme = witness('acme', (_, count) =>
    count === 1
      ? [
          ...calling('lookup', { word: 'a' }, 'k1'),
          ...calling('lookup', { word: 'b' }, 'k2'),
          ...calling('lookup', { word: 'c' }, 'k3'),
          toCall,
        ]
      : [text('done'), stop],
  )
  const tool = lookup()
  const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
  const { response, requestId } = await ask(under, { model: 'acme/m', tools, max_tool_calls: 2 })
  t.equal(said(response), 'done')
  t.strictSame(
    tool.ran.map(call => call.arguments['word']),
    ['a', 'b'],
  )
  t.match(outputsIn(acme.calls[1]!), [/about a/, /about b/, /limit of tool calls is reached/])
  t.equal(acme.calls[1]!.request.tool_choice, 'none')
  t.strictSame(typesIn(acme.calls[1]!), ['message', ...Array(3).fill('function_call'), ...Array(3).fill('function_call_output')])
  t.match((await under.record(requestId)).notes, [{ kind: 'tools', summary: { rounds: 1, calls: 2, failed: 0, notRun: 1 } }])
  await under.stop()
})

t.test('parallel calls run in parallel, and results keep their order', async t => {
  const started: string[] = []
  const both = Promise.withResolvers<void>()
  const tool = lookup(async ({ arguments: { word } }) => {
    started.push(String(word))
    if (started.length === 2) both.resolve()
    await both.promise
    return { output: String(word) }
  })
  const acme = witness('acme', (_, count) =>
    count === 1 ? [...calling('lookup', { word: 'a' }, 'k1'), ...calling('lookup', { word: 'b' }, 'k2'), toCall] : [text('done'), stop],
  )
  const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
  await ask(under, { model: 'acme/m', tools })
  t.match(outputsIn(acme.calls[1]!), [/\n\na$/, /\n\nb$/])
  await under.stop()
})

t.test('a tool that fails, hangs or returns nonsense does not end the answer', async t => {
  const runs: Record<string, Parameters<typeof lookup>[0]> = {
    throws: () => {
      throw new Error('token tp_demo_secret was refused')
    },
    hangs: () => new Promise(() => {}),
    nonsense: () => 'text' as never,
    count: () => ({ output: 'x', counts: { lookup: -1 } }),
    price: () => ({ output: 'x', costUsd: Number.NaN }),
  }
  for (const [name, run] of Object.entries(runs)) {
    const acme = witness('acme', afterRounds(1))
    const tool = lookup(run, { timeoutMs: 50 })
    const under = await gateway({ plugins: [acme.plugin, tool.plugin], key: {} })
    const { response } = await ask(under, { model: 'acme/m', tools })
    t.equal(said(response), 'answer after 1', name)
    t.match(outputsIn(acme.calls[1]!), [/The call failed/], name)
    t.notMatch(JSON.stringify(acme.calls[1]!.request), /tp_demo_secret/)
    t.match(under.logs.join(), /a tool failed/)
    t.notMatch(under.logs.join(), /tp_demo_secret/)
    await under.stop()
  }
})

t.test('a tool that is not as its contract says is refused, and the log says what is wrong with which plugin', async t => {
  const run = async () => ({ output: 'x' })
  const offering = (functions: unknown) => ({ open: () => ({ functions: () => functions, run }) as never })
  const mistakes: readonly (readonly [Parameters<typeof lookup>[1], RegExp])[] = [
    [{ open: () => undefined as never }, /opens tool .*lookup.*: expected an object, got undefined/],
    [{ open: () => ({ functions: () => [] }) as never }, /opens tool .*lookup.* with a bad `run`: expected a function/],
    [{ open: () => { throw new Error('prompt') } }, /a tool could not be offered/], // prettier-ignore
    [offering(undefined), /offers functions of tool .*lookup.*: expected an array/],
    [offering(Promise.resolve('x')), /offers functions of tool .*lookup.*: expected an array/],
    [offering([{ name: 'f', description: '' }]), /offers a function of tool .*lookup.* with a bad `parameters`: expected a JSON Schema/],
  ]
  for (const [more, problem] of mistakes) {
    const acme = witness('acme', () => [text('no'), stop])
    const tool = lookup(undefined, more)
    const under = await gateway({ plugins: [acme.plugin, tool.plugin], key: {} })
    const { status, error } = await ask(under, { model: 'acme/m', tools })
    t.match([status, error], [502, { message: /^The tool "lookup" is not available at the moment/ }], String(problem))
    t.match(under.logs.join(), problem)
    t.match(under.logs.join(), `"plugin":"${tool.plugin.plugin.name}"`)
    t.equal(acme.calls.length, 0)
    await under.stop()
  }
})

t.test('a tool whose schema is none is refused at the start', async t => {
  for (const [schema, problem] of [
    [{ type: 'objekt' }, 'schema/type must be equal to one of the allowed values'],
    [{ type: 'object', properties: { unit: { type: 'strin' } } }, 'schema/properties/unit/type must be'],
    [{ type: 'object', properties: 5 }, 'schema/properties must be object'],
    [{ type: 'object', requierd: ['unit'] }, 'strict mode: unknown keyword: "requierd"'],
  ] as const) {
    const { plugin } = lookup(undefined, { schema: schema as never })
    const message = `plugin ${plugin.plugin.name} adds tool "lookup" with a bad \`schema\`: expected a JSON Schema, but ${problem}`
    const error = await gateway({ plugins: [plugin] }).catch((thrown: unknown) => thrown)
    t.match(error, { name: 'PluginError', message })
  }
})

t.test('every valid schema of a tool will do, and a problem in it is named by its place there', async t => {
  const schema = { properties: { book: { minLength: 2, 'x-vendor': { kind: 'title' } } }, 'x-vendor': true }
  const acme = witness('acme', () => [text('fine'), stop])
  const under = await gateway({ plugins: [acme.plugin, lookup(undefined, { schema: schema as never }).plugin] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m', tools: [{ type: 'lookup', book: 'Emma' }] })).status, 200)
  const { status, error } = await ask(under, { model: 'acme/m', tools: [{ type: 'lookup', book: 'E' }] })
  t.match([status, error], [400, { param: 'tools[0].book' }])
  const { plugin } = lookup(undefined, { schema: { properties: { book: { $ref: '#/definitions/book' } } } as never })
  const thrown = await gateway({ plugins: [plugin] }).catch((reason: unknown) => reason)
  t.match(thrown, { message: /adds tool "lookup" with a bad `schema`/ })
  t.notMatch((thrown as Error).message, /tools\/items/)
})

t.test('a tool may give its result at once, or as any thenable', async t => {
  const result = { output: 'all is fine' }
  // oxlint-disable-next-line unicorn/no-thenable -- what a plugin may return
  const thenable = { then: (resolve: (value: object) => void) => resolve(result) }
  for (const returned of [result, thenable]) {
    const acme = witness('acme', (_, count) => (count === 1 ? [...calling('lookup', { word: 'x' }), toCall] : [text('done'), stop]))
    const functions = () => [{ name: 'lookup', description: 'Looks up.', parameters: { type: 'object' } }]
    const under = await gateway({
      plugins: [acme.plugin, lookup(undefined, { open: () => ({ functions, run: () => returned as never }) }).plugin],
    })
    t.teardown(under.stop)
    t.equal(said((await ask(under, { model: 'acme/m', tools })).response), 'done')
    t.match(outputsIn(acme.calls[1]!), [/all is fine/])
  }
})

t.test('arguments that are no object do not reach the tool', async t => {
  const acme = witness('acme', (_, count) => (count === 1 ? [...calling('lookup', '[1'), toCall] : [text('sorry'), stop]))
  const tool = lookup()
  const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
  const { response } = await ask(under, { model: 'acme/m', tools })
  t.equal(said(response), 'sorry')
  t.equal(tool.ran.length, 0)
  t.match(outputsIn(acme.calls[1]!), [/not a JSON object/])
  await under.stop()
})

t.test("the caller's own calls are handed over after the gateway's ran", async t => {
  for (const stream of [false, true]) {
    const acme = witness('acme', (_, count) =>
      count === 1
        ? [text('Let me see. '), ...calling('lookup', { word: 'a' }, 'k1'), ...calling('own', { x: 1 }, 'k2'), toCall]
        : [text('done'), stop],
    )
    const tool = lookup()
    const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
    const first = await ask(under, { model: 'acme/m', tools: [...tools, own], stream })
    t.strictSame(
      first.response.output.map(item => item['type']),
      ['message', 'function_call'],
    )
    t.equal(tool.ran.length, 1)
    t.equal(acme.calls.length, 1)
    const output = { type: 'function_call_output', call_id: 'call_k2', output: '42' }

    const chained = await ask(under, {
      model: 'acme/m',
      tools: [...tools, own],
      previous_response_id: first.response.id,
      input: [output],
    })
    t.equal(said(chained.response), 'done')
    t.strictSame(typesIn(acme.calls[1]!), [
      'message',
      'message',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ])
    t.match(outputsIn(acme.calls[1]!), [/about a/, '42'])

    const listed = await under.request(`/v1/responses/${chained.response.id}/input_items`)
    t.strictSame(
      ((await listed.json()) as { data: { type: string }[] }).data.map(({ type }) => type),
      ['function_call_output'],
      'the call of the tool is not listed',
    )

    const whole = await ask(under, {
      model: 'acme/m',
      tools: [...tools, own],
      input: [{ role: 'user', content: 'hi' }, ...first.response.output, output],
    })
    t.equal(said(whole.response), 'done')
    t.strictSame(typesIn(acme.calls[2]!), ['message', 'message', 'function_call', 'function_call_output'])
    await under.stop()
  }
})

t.test('tool_choice demands a tool only once', async t => {
  const choices: readonly [unknown, unknown, unknown][] = [
    ['required', 'required', 'auto'],
    [{ type: 'lookup' }, { type: 'function', name: 'lookup' }, 'auto'],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'lookup' }] },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'lookup' }] },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'lookup' }] },
    ],
  ]
  for (const [tool_choice, first, second] of choices) {
    const acme = witness('acme', afterRounds(1), { capabilities: { allowedTools: true } })
    const under = await gateway({ plugins: [acme.plugin, lookup().plugin] })
    const { status } = await ask(under, { model: 'acme/m', tools, tool_choice })
    t.equal(status, 200)
    t.strictSame(
      acme.calls.map(({ request }) => request.tool_choice),
      [first, second],
    )
    await under.stop()
  }
})

t.test('a client that leaves aborts the tool', async t => {
  const aborted = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const tool = lookup(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        started.resolve()
        signal.addEventListener('abort', () => {
          aborted.resolve()
          reject(signal.reason)
        })
      }),
    { timeoutMs: 60_000 },
  )
  const acme = witness('acme', afterRounds(1))
  const under = await gateway({ plugins: [acme.plugin, tool.plugin] })
  const controller = new AbortController()
  const reply = await under.request('/v1/responses', {
    body: { model: 'acme/m', input: 'hi', tools, stream: true },
    signal: controller.signal,
  })
  await started.promise
  await reply.body!.cancel()
  controller.abort()
  await aborted.promise
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
  t.equal(acme.calls.length, 1)
  await under.stop()
})

t.test('bad entries and names are refused before a model is asked', async t => {
  const acme = witness('acme', () => [text('no'), stop])
  const under = await gateway({ plugins: [acme.plugin, lookup().plugin] })
  const bad = await ask(under, { model: 'acme/m', tools: [own, { type: 'lookup', book: 3 }] })
  t.match([bad.status, bad.error], [400, { param: 'tools[1].book' }])
  const taken = await ask(under, { model: 'acme/m', tools: [...tools, { type: 'function', name: 'lookup', parameters: {} }] })
  t.match([taken.status, taken.error], [400, { message: /More than one tool offers the function "lookup"/, param: 'tools[0]' }])
  const unknown = await ask(under, { model: 'acme/m', tools: [{ type: 'look' }] })
  t.equal(unknown.status, 200)
  t.match(unknown.headers.get('x-gateway-warnings'), /look is not available on this model and was left out/)
  t.equal(acme.calls.length, 1)
  await under.stop()
})

t.test('an endpoint that cannot call functions is passed over', async t => {
  const acme = witness('acme', () => [text('no'), stop], { capabilities: { tools: false } })
  const globex = witness('globex', afterRounds(1))
  const under = await gateway({ plugins: [acme.plugin, globex.plugin, lookup().plugin] })
  const refused = await ask(under, { model: 'acme/m', tools })
  t.match([refused.status, refused.error.message], [400, /"lookup" needs a model that can call functions, and acme\/m cannot/])
  const { response } = await ask(under, { model: 'acme/m', tools, routing: { model: { fallbacks: ['globex/m'] } } })
  t.equal(said(response), 'answer after 1')
  await under.stop()
})

t.test('a later round that uses another feature is refused where a policy needs agreements', async t => {
  const image = {
    type: 'message' as const,
    role: 'user' as const,
    content: [{ type: 'input_image' as const, image_url: 'data:image/png;base64,AA==' }],
  }
  const withImage = guarding(
    {
      input: request =>
        request.input.some(({ type }) => type === 'function_call_output')
          ? { replace: { ...request, input: [...request.input, image] } }
          : { pass: true },
    },
    { enforces: ['zdr'] },
  )
  for (const [policy, status, calls] of [
    [{ zdr: { value: true } }, 422, 1],
    [{}, 200, 2],
  ] as const) {
    const acme = witness('acme', afterRounds(1))
    const under = await gateway({ plugins: [acme.plugin, lookup().plugin, withImage], key: { name: 'test', policy } })
    const reply = await ask(under, { model: 'acme/m', tools: [{ type: 'lookup' }] })
    t.equal(reply.status, status)
    t.equal(acme.calls.length, calls)
    if (status === 422) t.match(reply.error.message, /added images to the request while it was answered/)
    await under.stop()
  }
})

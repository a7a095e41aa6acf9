import t from 'tap'
import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, stop, text, usage, witness } from '../../kit/stage.ts'

const called: GenerationEvent = { type: 'finish', reason: 'tool-calls' }
const call = (key: string, name: string, input: object): GenerationEvent[] => [
  { type: 'tool-call', key, callId: `call_${key}`, name },
  { type: 'tool-input', key, text: JSON.stringify(input) },
]
const inputOf = (each: ProviderCall | undefined): string => JSON.stringify(each?.request.input)

t.test('redaction reads calls and outputs, and restores what a model calls', async t => {
  const acme = witness('acme', ({ request }) => {
    const [placeholder = ''] = /\[EMAIL_\d\]/.exec(JSON.stringify(request.input)) ?? []
    return [
      ...call('1', 'shell', { commands: [`mail ${placeholder}`] }),
      ...call('2', 'tool_search', { type: placeholder, id: placeholder }),
      ...call('3', 'apply_patch', { type: 'create_file', path: `${placeholder}.txt`, diff: `+${placeholder}` }),
      ...call('4', 'local_shell', { command: ['mail'], env: { type: placeholder } }),
      called,
    ]
  })
  const under = await gateway({
    plugins: [redaction({}), acme.plugin],
    key: { policy: { logging: { value: true }, redaction: { value: true, settings: { restore: true } } } },
  })
  t.teardown(under.stop)
  const tools = [{ type: 'shell' }, { type: 'tool_search', execution: 'client' }, { type: 'apply_patch' }, { type: 'local_shell' }]
  const body = { model: 'acme/m', tools, input: 'Write to ann@example.com' }
  for (const stream of [false, true]) {
    const { response } = await ask(under, { ...body, stream })
    t.match(response.output, [
      { type: 'shell_call', action: { commands: ['mail ann@example.com'] } },
      { type: 'tool_search_call', arguments: { type: 'ann@example.com', id: 'ann@example.com' } },
      { type: 'apply_patch_call', operation: { path: 'ann@example.com.txt', diff: '+ann@example.com' } },
      { type: 'local_shell_call', action: { env: { type: 'ann@example.com' } } },
    ])
    t.notMatch(inputOf(acme.calls.at(-1)), /ann@/)
    const outputs = [
      {
        type: 'shell_call_output',
        call_id: 'call_1',
        output: [{ stdout: 'joe@example.com', stderr: 'eve@example.com', outcome: { type: 'exit', exit_code: 0 } }],
      },
      {
        type: 'tool_search_output',
        call_id: 'call_2',
        execution: 'client',
        tools: [{ type: 'function', name: 'f', description: 'Of max@example.com' }],
      },
      { type: 'apply_patch_call_output', call_id: 'call_3', status: 'completed', output: 'Told kim@example.com' },
      { type: 'local_shell_call_output', call_id: 'call_4', output: 'from leo@example.com' },
    ]
    const next = await ask(under, { ...body, stream: false, previous_response_id: response.id, input: outputs })
    t.equal(next.status, 200, next.status === 200 ? '' : next.error.message)
    const { request } = acme.calls.at(-1)!
    t.notMatch(JSON.stringify([request.input, request.tools]), /@example/, 'no address reaches the model')
    t.match(inputOf(acme.calls.at(-1)), /\[EMAIL_1\].*\[EMAIL_[2-9]\]/)
  }
})

t.test('a stored call goes on as it would with the whole conversation', async t => {
  const acme = witness('acme', (_, count) =>
    count === 1 ? [...call('1', 'shell', { commands: ['ls'] }), usage(1, 1), called] : [text('Hi'), stop],
  )
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const body = { model: 'acme/m', tools: [{ type: 'shell' }] }
  const { response } = await ask(under, { ...body, input: 'Go' })
  const output = { type: 'shell_call_output', call_id: 'call_1', output: [] }
  await ask(under, { ...body, previous_response_id: response.id, input: [output] })
  await ask(under, { ...body, input: [{ role: 'user', content: 'Go' }, ...response.output, output] })
  const [, chained, whole] = acme.calls
  t.same(chained!.request.input.slice(1), whole!.request.input.slice(1))
  t.match(chained!.request.input.slice(1), [
    { type: 'function_call', name: 'shell' },
    { type: 'function_call_output', output: '[]' },
  ])
})

t.test('a call counts as output where the vendor reports no usage', async t => {
  const long = 'word '.repeat(400)
  const acme = witness('acme', () => [...call('1', 'shell', { commands: [long] }), called])
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const { response } = await ask(under, { model: 'acme/m', tools: [{ type: 'shell' }] })
  t.ok(((response as { usage?: { output_tokens?: number } }).usage?.output_tokens ?? 0) > 300)
})

t.test('many requests at once are checked apart', async t => {
  const acme = witness('acme', ({ request }) => {
    const asked = JSON.stringify(request.input)
    const [, wanted] = /want (\d+)/.exec(asked)!
    const isSecond = asked.includes('did not run')
    return [...call('1', 'digits', { input: isSecond ? wanted! : `no ${wanted}` }), usage(1, 1), called]
  })
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const digits = { type: 'custom', name: 'digits', format: { type: 'grammar', syntax: 'regex', definition: String.raw`\d+` } }
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      ask(under, { model: 'acme/m', stream: index % 2 === 0, tools: [digits], input: `want ${index}` }),
    ),
  )
  t.same(
    answers.map(({ response }) => response.output.map(item => item['input'])),
    answers.map((_, index) => [`${index}`]),
  )
  t.equal(acme.calls.length, 400)
  t.equal((await under.recorded(200)).length, 200, 'one record a request')
})

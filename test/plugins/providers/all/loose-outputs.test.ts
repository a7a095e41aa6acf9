import t from 'tap'
import { fakeUpstream } from '../../../../core/testing/index.ts'
import { ask } from '../../../kit/stage.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { everyProvider } from './every-provider.ts'
import { requestChecks, schemasAbsent, type RequestCheck } from './published-schemas.ts'

// Tool outputs without a `call_id` must become a request that each vendor takes: a result for each call, right behind it, and no other.

const google = await FakeGoogle.start()
const providers = everyProvider(google)
const upstream = await fakeUpstream(({ url }) => {
  const { answer } = providers.find(({ name }) => name === url.split('/')[1])!
  return { headers: { 'content-type': 'application/json' }, body: answer.whole }
})
t.teardown(() => Promise.all([upstream.close(), google.close()]))

let checks: Readonly<Record<string, RequestCheck>> | undefined

const object = { type: 'object', properties: {} }
const functions = (...names: readonly string[]) =>
  names.map(name => ({ type: 'function', name, description: 'Does it.', parameters: object, strict: false }))
const call = (call_id: string, name: string, more: object = {}) => ({ type: 'function_call', call_id, name, arguments: '{}', ...more })
const loose = (name: string, more: object = {}) => ({ type: 'function_call_output', name, output: 'Done.', ...more })

const request = {
  max_output_tokens: 100,
  tools: [...functions('look', 'wait'), { type: 'namespace', name: 'goals', description: 'Goals.', tools: functions('create_goal') }],
  input: [
    { role: 'user', content: 'Set a goal.' },
    call('call_1', 'create_goal', { namespace: 'goals' }),
    call('call_2', 'look'),
    loose('wait', { output: [{ type: 'input_text', text: 'Nobody called this.' }] }),
    loose('create_goal', { namespace: 'goals', call_id: null }),
    { type: 'function_call_output', call_id: 'call_2', output: 'Seen.' },
    loose('create_goal', { namespace: 'goals', output: 'The goal stands.' }),
    { role: 'user', content: 'Go on.' },
  ],
}

for (const { name, plugin, model } of providers) {
  t.test(name, async t => {
    const under = await gateway({ plugins: [plugin({ id: name, baseUrl: `${upstream.url}/${name}` })] })
    t.teardown(under.stop)
    const { status } = await ask(under, { ...request, model: `${name}/${model}` })
    t.equal(status, 200)
    const { body } = upstream.requests.at(-1)!
    const steps = [...stepsOf(body)]
    const calls = steps.flatMap(step => (step.startsWith('call ') ? [step.slice('call '.length)] : []))
    t.equal(new Set(calls).size, 2)
    const first = steps.findIndex(step => step.startsWith('call '))
    t.same(steps.slice(first + 2, first + 4).toSorted(), calls.map(id => `result ${id}`).toSorted(), 'the results follow the calls')
    t.equal(steps.filter(step => step.startsWith('result ')).length, 2)
    for (const text of ['Nobody called this.', 'The goal stands.', 'Go on.'])
      t.ok(steps.findIndex(step => step.includes(text)) > first + 3, `"${text}" comes behind them`)
    await t.test('by the published schema', { skip: schemasAbsent }, async t => {
      const check = (checks ??= requestChecks())[name]
      if (check) t.strictSame(check(body), [])
    })
  })
}

type Node = Readonly<Record<string, never>>

/** Calls, results and texts of a body in their order, in any dialect. */
function* stepsOf(node: unknown): Generator<string> {
  if (Array.isArray(node)) for (const each of node) yield* stepsOf(each)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  const { type, id, call_id, role, tool_calls, toolUse, toolResult, functionCall, functionResponse, text, content } = node as Node
  if (type === 'function_call' || type === 'tool_use') return yield `call ${call_id ?? id}`
  if (type === 'function_call_output' || type === 'tool_result') return yield `result ${call_id ?? node['tool_use_id' as never]}`
  if (toolUse) return yield `call ${toolUse['toolUseId']}`
  if (toolResult) return yield `result ${toolResult['toolUseId']}`
  if (functionCall) return yield `call ${functionCall['id'] ?? functionCall['name']}`
  if (functionResponse) return yield `result ${functionResponse['id'] ?? functionResponse['name']}`
  if (role === 'tool') return yield `result ${node['tool_call_id' as never]}`
  if (typeof text === 'string') yield `text ${text}`
  if (typeof content === 'string') yield `text ${content}`
  if (tool_calls) for (const each of tool_calls as readonly Node[]) yield `call ${each['id']}`
  for (const member of ['input', 'messages', 'contents', 'content', 'parts']) yield* stepsOf(node[member as never])
}

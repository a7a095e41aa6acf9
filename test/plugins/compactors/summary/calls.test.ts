import t from 'tap'
import { ask } from '../../../kit/stage.ts'
import { compacting, long, scribe, textsIn, threshold, trigger, user } from './stage.ts'

t.test('calls that wait for their output stay, and can be answered after the compaction', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }]
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: `{"at":"${id}"}` })
  const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: `saw ${id}` })
  const input = [user('Look twice.'), call('a'), output('a'), call('b')]
  const { response } = await ask(under, { model: 'acme/m', tools, input: [...input, trigger] })
  const [told] = acme.calls
  t.same(
    told!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
    ['message', 'function_call a', 'function_call_output a', 'message'],
    'a model is not asked with a call that nobody answered',
  )
  t.match(textsIn(told!).at(-1), /look: \{"at":"b"\}/)
  t.equal(told!.request.tool_choice, 'none')
  for (const before of [[], input]) {
    const { status } = await ask(under, { model: 'acme/m', tools, input: [...before, ...response.output, output('b')] })
    t.equal(status, 200)
    t.same(
      acme.calls.at(-1)!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
      ['message', 'message', 'function_call b', 'function_call_output b'],
    )
  }
  const answered = await ask(under, { model: 'acme/m', tools, input: [...response.output, output('a')] })
  t.equal(answered.status, 400, 'one that was answered is part of the summary')
  t.match(answered.error, { param: 'input[1].call_id' })
})

t.test('the round that a model has to answer stays whole', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' })
  const output = (id: string, words: number) => ({ type: 'function_call_output', call_id: id, output: long(words) })
  const input = [user('Look.'), call('a'), output('a', 2_000), call('b'), call('c'), output('b', 10), output('c', 10)]
  await ask(under, { model: 'acme/m', input, ...threshold(1_000) })
  t.same(
    acme.calls[1]!.request.input.map(item => ('call_id' in item ? `${item.type} ${item.call_id}` : item.type)),
    ['message', 'message', 'function_call b', 'function_call c', 'function_call_output b', 'function_call_output c'],
  )
  acme.calls.length = 0
  await ask(under, { model: 'acme/m', input: [user('Look.'), call('a'), output('a', 4_000)], ...threshold(1_000) })
  t.match(textsIn(acme.calls[1]!), ['Look.', /WHAT WAS SAID/] as never, 'unless it is too long')
})

t.test('tools that were called are declared, even if the request has none', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const calls = [
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'look', namespace: 'files', arguments: '{}' },
    { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '+' },
  ]
  const outputs = calls.map(({ type, call_id }) => ({ type: `${type}_output`, call_id, output: 'done' }))
  const input = [user('Look.'), ...calls, ...outputs]
  t.equal((await under.request('/v1/responses/compact', { body: { model: 'acme/m', input } })).status, 200)
  const { tools, tool_choice: choice } = acme.calls[0]!.request
  t.equal(choice, 'none')
  t.equal(tools!.length, 3)
  t.equal((await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: 'hi' } })).status, 200)
  t.equal(acme.calls[1]!.request.tools, undefined)
})

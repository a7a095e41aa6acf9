import t from 'tap'
import type { Item } from '../../../core/index.ts'
import { pairOutputs } from '../../../core/generation/tool-outputs.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'

type Sent = Readonly<Record<string, unknown>>

const user = (said: string): Sent => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: said }] })
const call = (call_id: string, name: string, namespace?: string): Sent => ({
  type: 'function_call',
  call_id,
  name,
  arguments: '{}',
  ...(namespace !== undefined && { namespace }),
})
const output = (tool: Sent, said = 'done'): Sent => ({ type: 'function_call_output', ...tool, output: said })
const pair = (...items: readonly Sent[]): readonly Sent[] => pairOutputs(items as readonly unknown[] as readonly Item[], 0) as never

/** Each item after pairing, in a word. */
const told = (...items: readonly Sent[]): readonly string[] =>
  pair(...items).map(({ type, call_id, content }) =>
    type === 'message'
      ? (content as readonly { readonly text: string }[]).map(part => part.text).join(' ')
      : `${String(type)} ${String(call_id)}`,
  )

t.test('an output without a call_id answers the open call of its name', t => {
  t.same(pair(user('go'), call('c1', 'create_goal', 'goals'), output({ name: 'create_goal', namespace: 'goals' })).at(-1), {
    type: 'function_call_output',
    call_id: 'c1',
    output: 'done',
  })
  t.same(told(call('c1', 'f', 'n'), output({ name: 'f' })).at(-1), 'function_call_output c1', 'a namespace may be left out')
  t.same(told(call('c1', 'f'), output({})).at(-1), 'function_call_output c1', 'a name too')
  t.same(
    told(call('c1', 'f'), call('c2', 'f'), output({ name: 'f' }), output({ name: 'f' })).slice(2),
    ['function_call_output c1', 'function_call_output c2'],
    'in the order of the calls',
  )
  t.same(
    told(call('c1', 'f'), user('again'), call('c2', 'f'), output({ name: 'f' })).at(-1),
    'function_call_output c2',
    'of the latest round',
  )
  t.same(
    told(call('c1', 'f'), call('c2', 'g'), output({ call_id: 'c2' }), output({ name: 'f' })).slice(2),
    ['function_call_output c2', 'function_call_output c1'],
    'beside outputs that name theirs',
  )
  t.end()
})

t.test('where no call is open it is a message of the user, behind the outputs that are still to come', t => {
  t.same(pair(user('go'), { ...output({ name: 'create_goal', namespace: 'goals' }), id: 'fco_1' }).slice(1), [
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Output of the tool "goals.create_goal":' },
        { type: 'input_text', text: 'done' },
      ],
    },
  ])
  t.same(
    told(call('c1', 'f'), output({ name: 'f' }), output({ call_id: 'c1' }, 'its own')),
    ['function_call c1', 'function_call_output c1', 'Output of the tool "f": done'],
    'a later output that names the call wins',
  )
  t.same(told(call('c1', 'f'), call('c2', 'f'), output({ name: 'g' }), output({ call_id: 'c1' }), output({ name: 'f' }), user('next')), [
    'function_call c1',
    'function_call c2',
    'function_call_output c1',
    'function_call_output c2',
    'Output of the tool "g": done',
    'next',
  ])
  t.same(told(call('c1', 'f', 'a'), output({ name: 'f', namespace: 'b' })).at(-1), 'Output of the tool "b.f": done', 'of another namespace')
  t.same(
    told({ type: 'custom_tool_call', call_id: 'c1', name: 'f', input: '' }, output({ name: 'f' })).at(-1),
    'Output of the tool "f": done',
  )
  t.same(told(output({})), ['Output of a tool: done'])
  const parts = [{ type: 'input_image', image_url: 'https://example.com/a.png' }]
  t.same((pair({ ...output({}), output: parts })[0]!['content'] as readonly unknown[]).slice(1), parts)
  t.end()
})

t.test('outputs that name their calls stay what they are, and are held to them', t => {
  const items = [call('c1', 'f'), output({ call_id: 'c1', name: 'f' }), call('c1', 'f'), output({ call_id: 'c1' })]
  t.equal(pair(...items).length, 4)
  t.equal(pairOutputs(items as never, 0), items, 'the list itself')
  t.throws(() => pair(output({ call_id: 'c1' })), { param: 'input[0].call_id', message: /^No tool call found/ })
  t.throws(() => pair(...items, output({ call_id: 'c1' })), { param: 'input[4].call_id', message: /^There is more than one/ })
  t.end()
})

t.test('many of them are paired in one pass', t => {
  const many = 20_000
  const calls = Array.from({ length: many }, (_, index) => call(`c${index}`, 'f'))
  const loose = Array.from({ length: 2 * many }, () => output({ name: 'f' }))
  const paired = pair(...calls, ...loose)
  t.same(paired[2 * many - 1]!['call_id'], `c${many - 1}`)
  t.equal(paired[2 * many]!['type'], 'message')
  t.end()
})

t.test('a session goes on after an output without a call_id, sent whole or chained', async t => {
  const acme = witness('acme', () => [text('ok'), stop])
  const under = await gateway({ plugins: [acme.plugin], key: { name: 'test', user: 'jane', policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const goal = { type: 'function_call_output', name: 'create_goal', namespace: 'goals', output: 'Goal set.' }
  for (const call_id of [undefined, null]) {
    const first = await ask(under, { model: 'acme/m', input: [user('go'), call('c1', 'create_goal', 'goals'), { ...goal, call_id }, goal] })
    t.equal(first.status, 200)
    const second = await ask(under, { model: 'acme/m', input: 'and now?', previous_response_id: first.response.id })
    t.equal(second.status, 200)
    for (const { request } of acme.calls.slice(-2))
      t.match(request.input.slice(1, 4), [
        { type: 'function_call' },
        { type: 'function_call_output', call_id: 'c1' },
        { type: 'message', role: 'user', content: [{ text: 'Output of the tool "goals.create_goal":' }, { text: 'Goal set.' }] },
      ])
    const listed = await under.request(`/v1/responses/${first.response.id}/input_items?order=asc`)
    const { data } = (await listed.json()) as { readonly data: readonly Sent[] }
    t.match(data.at(-1), { ...goal, id: /^fco_/ }, 'the list has what was sent')
    t.notOk('call_id' in data.at(-1)!)
  }
})

import t, { type Test } from 'tap'
import type { GenerationEvent, Provider, ProviderCall } from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { withIds } from '../../../core/generation/item-ids.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, listing, stop, text, witness } from '../../kit/stage.ts'

const logging = { name: 'test', user: 'jane', policy: { logging: { value: true } } }
const call: readonly GenerationEvent[] = [
  { type: 'reasoning', form: 'summary', text: 'a tool is needed' },
  { type: 'reasoning-state', opaque: 'vendor bytes' },
  { type: 'text', text: 'One moment.' },
  { type: 'tool-call', key: 'a', callId: 'call_1', name: 'look' },
  { type: 'tool-input', key: 'a', text: '{}' },
  { type: 'finish', reason: 'tool-calls' },
]

async function calling(t: Test, ...plugins: readonly PluginUse[]) {
  const acme = witness('acme', (_, count) => (count === 1 ? call : [text('done'), stop]))
  const under = await gateway({ plugins: [acme.plugin, ...plugins], key: logging })
  t.teardown(under.stop)
  const first = await ask(under, { model: 'acme/m', input: 'look at this' })
  return { acme, under, first: first.response }
}

const result = { type: 'function_call_output', call_id: 'call_1', output: 'seen' } as const

t.test('items that were shown can be referred to instead of sent, with the state that they carried', async t => {
  const { acme, under, first } = await calling(t)
  const references = first.output.map(({ id }) => ({ type: 'item_reference', id }))
  const question = { role: 'user', content: 'look at this' }
  const second = await ask(under, { model: 'acme/m', input: [question, ...references, result] })
  t.equal(second.status, 200)
  t.match(acme.calls[1]!.request.input, [
    { type: 'message', role: 'user' },
    { type: 'reasoning', summary: [{ text: 'a tool is needed' }], encrypted_content: 'vendor bytes' },
    { type: 'message', role: 'assistant', content: [{ text: 'One moment.' }] },
    { type: 'function_call', call_id: 'call_1', arguments: '{}' },
    result,
  ])
  const bare = await ask(under, { model: 'acme/m', input: [question, ...references.map(({ id }) => ({ id })), result], stream: true })
  t.equal(bare.response.status, 'completed', 'an id alone is a reference')
  t.equal(acme.calls[2]!.request.input.length, 5)

  const third = await ask(under, { model: 'acme/m', input: 'and now?', previous_response_id: second.response.id })
  t.equal(third.status, 200)
  t.same(
    acme.calls[3]!.request.input.map(({ type }) => type),
    ['message', 'reasoning', 'message', 'function_call', 'function_call_output', 'message', 'message'],
    'what was referred to is part of the turn',
  )
})

t.test('an item of the caller is found again under its own id, or the one that it was given', async t => {
  const { acme, under } = await calling(t)
  const own = { type: 'message', id: 'msg_mine', role: 'user', content: 'remember me' }
  await ask(under, { model: 'acme/m', input: [own] })
  const { status } = await ask(under, { model: 'acme/m', input: [{ type: 'item_reference', id: 'msg_mine' }] })
  t.equal(status, 200)
  t.match(acme.calls[2]!.request.input, [{ role: 'user', content: [{ text: 'remember me' }] }])
})

t.test('a reference that leads nowhere is a 400 that names it', async t => {
  const { acme, under, first } = await calling(t)
  const id = first.output[1]!['id'] as string
  const as = async (settings: object) => ({ authorization: `Bearer ${await under.gateway.issueKey({ ...logging, ...settings })}` })
  const refer = (reference: string, headers?: Readonly<Record<string, string>>) =>
    ask(under, { model: 'acme/m', input: [{ type: 'item_reference', id: reference }] }, headers)
  for (const answer of [
    await refer('msg_unknown'),
    await refer(id, await as({ user: 'john' })),
    await refer(id, await as({ user: 'jane', org: 'globex' })),
    await refer(id, await as({ policy: {} })),
  ]) {
    t.equal(answer.status, 400)
    t.match(answer.error, { param: 'input', type: 'invalid_request_error', message: /^Item with id '.+' not found/ })
  }
  t.equal((await refer(id, await as({ user: 'jane' }))).status, 200)
  t.equal(acme.calls.length, 2, 'only the last one went on')
})

t.test('a chain that lost an ancestor names it', async t => {
  const { under, first } = await calling(t)
  const turn = async (previous: string) => {
    const input = [{ type: 'message', role: 'user', content: 'and now?' }]
    return (await ask(under, { model: 'acme/m', input, previous_response_id: previous })).response.id
  }
  const second = await turn(first.id)
  const third = await turn(second)
  const refused = async (previous: string) =>
    (await ask(under, { model: 'acme/m', input: 'and now?', previous_response_id: previous })).error
  await under.request(`/v1/responses/${first.id}`, { method: 'DELETE' })
  for (const named of [second, third])
    t.match(await refused(named), {
      message: `Previous response with id '${first.id}' not found: '${named}' continues it, and it was deleted or has expired.`,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    })
  await under.request(`/v1/responses/${second}`, { method: 'DELETE' })
  t.match((await refused(third)).message, `Previous response with id '${second}' not found: '${third}' continues it`)
  t.equal((await refused(second)).message, `Previous response with id '${second}' not found.`)
})

t.test('the stored output is what the client saw, under the same ids', async t => {
  const shouting = guarding({ output: () => ({ push: piece => piece.toUpperCase(), flush: () => '' }) })
  const { acme, under, first } = await calling(t, shouting)
  t.match(first.output[1], { type: 'message', content: [{ text: 'ONE MOMENT.' }] })
  await ask(under, { model: 'acme/m', input: [{ type: 'item_reference', id: first.output[1]!['id'] }] })
  t.match(acme.calls[1]!.request.input, [{ role: 'assistant', content: [{ text: 'ONE MOMENT.' }] }])
})

t.test('an id stands for one item', async t => {
  let made = 0
  const ids = { make: (prefix: string) => `${prefix}_${++made}` }
  const twice = { type: 'message', role: 'user', content: [], id: 'same' } as const
  t.same(
    withIds([twice, twice, { ...twice, id: '' }], ids).map(item => ('id' in item ? item.id : undefined)),
    ['same', 'msg_1', 'msg_2'],
  )
})

const compact = { context_management: [{ type: 'compaction', compact_threshold: 5_000 }] }

t.test('context_management goes to those that have it while there is one, and is left out elsewhere', async t => {
  const answer = (): readonly GenerationEvent[] => [text('hello'), stop]
  const acme = witness('acme', answer)
  const globex = witness('globex', answer, { capabilities: { contextManagement: true } } satisfies Partial<Provider>)
  const under = await gateway({
    plugins: [acme.plugin, globex.plugin, listing({ model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] })],
  })
  t.teardown(under.stop)
  const kept = await ask(under, { model: 'm', ...compact })
  t.equal(kept.headers.get('x-gateway-provider'), 'globex')
  t.equal(kept.headers.get('x-gateway-warnings'), null)
  t.same(globex.calls[0]!.request.context_management, compact.context_management)
  t.equal((await ask(under, { model: 'm' })).headers.get('x-gateway-provider'), 'acme', 'otherwise the order is the catalog’s')

  const dropped = await ask(under, { model: 'acme/m', ...compact })
  t.equal(dropped.status, 200)
  t.match(dropped.headers.get('x-gateway-warnings'), /^context_management: /)
  t.equal(acme.calls[1]!.request.context_management, undefined)
})

t.test('compaction beside native search is a 400 on a reasoning model of the family that has both', async t => {
  const calls: ProviderCall[] = []
  const acme = witness('acme', each => (calls.push(each), [text('hello'), stop]), {
    capabilities: { builtInTools: true, contextManagement: true, efforts: ['low', 'high'] },
  })
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const both = await ask(under, { model: 'acme/m', ...compact, tools: [{ type: 'web_search' }] })
  t.equal(both.status, 400)
  t.match(both.error, { param: 'context_management', message: /web search/ })
  t.equal(calls.length, 0)
  t.equal((await ask(under, { model: 'acme/m', ...compact })).status, 200)
})

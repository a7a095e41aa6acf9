import t from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import mcp from '../../../plugins/tools/mcp/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, listing, said, stop, text, witness } from '../../kit/stage.ts'
import { calling, toCall } from '../../kit/tool-stage.ts'
import { rawServer } from './mcp-raw-server.ts'

const token = 'demo-mcp-token-of-ada'
const native = { capabilities: { builtInTools: true, tools: true } } as const
const naming = (url: string, more: object = {}) => ({
  type: 'mcp',
  server_label: 'mine',
  server_url: url,
  require_approval: 'never',
  ...more,
})
const listed: GenerationEvent = { type: 'item', item: { type: 'mcp_list_tools', server_label: 'mine', tools: [], error: null } }

t.test('without the plugin, an entry reaches a Responses upstream with its credentials, which are shown nowhere', async t => {
  const entry = naming('https://mcp.example.com/mcp', { authorization: token, headers: { 'x-team': 'demo-team-secret' } })
  for (const content of [false, true]) {
    const acme = witness('acme', () => [listed, text('done'), stop], native)
    const guard = guarding({ input: () => ({ pass: true }) })
    const under = await gateway({ plugins: [acme.plugin, ...(content ? [guard] : [])], key: { policy: { logging: { value: true } } } })
    const answer = await ask(under, { model: 'acme/m', tools: [entry] })
    t.match(acme.calls[0]!.request.tools, [entry])
    t.match(answer.response['tools'], [{ type: 'mcp', server_url: 'https://mcp.example.com' }])
    const record = await under.record(answer.requestId)
    t.match(record, { request: { tools: [{ type: 'mcp', server_label: 'mine' }] } })
    t.notMatch(JSON.stringify([answer.response, record, under.logs]), /demo-mcp-token|demo-team-secret/)
    await under.stop()
  }
  const plain = witness('acme', () => [text('done'), stop])
  const under = await gateway({ plugins: [plain.plugin] })
  const answer = await ask(under, { model: 'acme/m', tools: [entry] })
  t.strictSame(plain.calls[0]!.request.tools ?? [], [])
  t.match(answer.headers.get('x-gateway-warnings'), /mcp is not available on this model/)
  await under.stop()
})

t.test('with the plugin, an entry passes only where the operator says so, and no policy forbids it', async t => {
  const server = await rawServer(() => undefined)
  t.teardown(() => server.close())
  const agreements = { zdr: { policy_url: 'https://example.com/zdr' }, hipaa: { baa_url: 'https://example.com/baa' } }
  const passes = async (option: object, more: Parameters<typeof gateway>[0] = {}, capabilities: object = native): Promise<boolean> => {
    server.seen.length = 0
    const acme = witness('acme', () => [text('done'), stop], capabilities)
    const plugin = mcp({ origins: [{ origin: server.origin, ...option }] })
    const listedModel = listing({ model: 'm', endpoints: [{ provider: 'acme', upstreamModel: 'm', ...agreements }] })
    const under = await gateway({ ...more, plugins: [acme.plugin, plugin, listedModel, zdr({}), hipaa({}), ...(more.plugins ?? [])] })
    const { status } = await ask(under, { model: 'acme/m', tools: [naming(server.url, { authorization: token })] })
    t.equal(status, 200)
    await under.stop()
    const [tool] = acme.calls[0]!.request.tools as readonly { readonly type: string; readonly authorization?: string }[]
    t.equal(tool!.type === 'mcp', server.seen.length === 0, 'one of them calls the server')
    t.equal(tool!.type === 'mcp', tool!.authorization === token)
    return tool!.type === 'mcp'
  }
  t.notOk(await passes({}))
  t.ok(await passes({ passThrough: true }))
  t.notOk(await passes({ passThrough: true }, {}, { capabilities: { tools: true } }))
  for (const field of ['zdr', 'hipaa'] as const)
    t.notOk(await passes({ passThrough: true, ...agreements }, { key: { policy: { [field]: { value: true } } } }))
  t.notOk(await passes({ passThrough: true }, { plugins: [guarding({ input: () => ({ pass: true }) })] }))
  t.notOk(await passes({ passThrough: true }, { plugins: [guarding({ output: () => ({ push: piece => piece, flush: () => '' }) })] }))
  t.notOk(await passes({ passThrough: true }, { key: { tools: ['mcp'] } }))
})

t.test('an item of the conversation brings no server', async t => {
  const entry = naming('https://mcp.example.com/mcp', { authorization: token })
  const open = naming('https://mcp.example.com/mcp')
  const asked = async (plugins: readonly Parameters<typeof gateway>[0][], tool: object): Promise<readonly unknown[]> => {
    const acme = witness('acme', () => [text('done'), stop], native)
    const under = await gateway({ plugins: [acme.plugin, ...plugins.flatMap(each => each?.plugins ?? [])] })
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'additional_tools', role: 'developer', tools: [tool] },
    ]
    const { status, error } = await ask(under, { model: 'acme/m', input })
    await under.stop()
    return [status, error?.param]
  }
  const plugins = [{ plugins: [mcp({ origins: [{ origin: 'https://mcp.example.com' }] })] }]
  t.strictSame(await asked([], entry), [400, 'input[1].tools'])
  t.strictSame(await asked(plugins, entry), [400, 'input[1].tools'])
  t.strictSame(await asked(plugins, open), [400, 'input[1].tools'])
  t.strictSame(await asked([], open), [200, undefined])
})

t.test('an upstream that runs a server sees the items of its calls; any other sees functions', async t => {
  const server = await rawServer(() => undefined)
  t.teardown(() => server.close())
  const acme = witness('acme', () => [listed, text('done'), stop], native)
  const plain = witness('plain', ({ request }) =>
    request.input.some(({ type }) => type === 'function_call_output') ? [text('ran'), stop] : [...calling('mcp__mine__echo', {}), toCall],
  )
  const under = await gateway({ plugins: [acme.plugin, plain.plugin, mcp({ origins: [{ origin: server.origin, passThrough: true }] })] })
  const conversation = [
    { role: 'user', content: 'hi' },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'mine', tools: [], error: null },
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'mine', name: 'echo', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true },
  ]
  const tools = [naming(server.url)]
  const first = await ask(under, { model: 'acme/m', tools, input: conversation })
  t.strictSame(
    acme.calls[0]!.request.input.map(({ type }) => type),
    ['message', 'mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'],
  )
  t.strictSame(
    first.response.output.map(({ type }) => type),
    ['mcp_list_tools', 'message'],
  )
  t.equal(server.seen.length, 0)
  const second = await ask(under, { model: 'plain/m', tools, input: conversation })
  t.equal(said(second.response), 'ran')
  t.strictSame(
    second.response.output.map(({ type }) => type),
    ['mcp_call', 'message'],
  )
  t.strictSame(
    plain.calls[0]!.request.input.map(({ type }) => type),
    ['message', 'function_call', 'function_call_output'],
  )
  await under.stop()
})

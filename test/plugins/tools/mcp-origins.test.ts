import t from 'tap'
import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import mcp from '../../../plugins/tools/mcp/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, listing, said, stop, text, witness } from '../../kit/stage.ts'
import { calling, outputsIn, toCall } from '../../kit/tool-stage.ts'
import { modernServer, rawServer } from './mcp-raw-server.ts'

const token = 'demo-mcp-token-of-ada'
const logging = { policy: { logging: { value: true } } } as const
const naming = (url: string, more: object = {}) => ({
  type: 'mcp',
  server_label: 'mine',
  server_url: url,
  require_approval: 'never',
  ...more,
})
const allowing = (origin: string, more: object = {}) => mcp({ origins: [{ origin, ...more }] })

/** Calls one tool, then answers. */
function once(tool: string, args: object = {}): (call: ProviderCall) => readonly GenerationEvent[] {
  return ({ request }) =>
    request.input.some(({ type }) => type === 'function_call_output')
      ? [text('done'), stop]
      : [...calling(`mcp__mine__${tool}`, args), toCall]
}

t.test('a caller names a server by its address, in both eras of the protocol', async t => {
  const servers = [
    { server: await modernServer(), tool: 'whoami', output: 'demo a', methods: /^server\/discover,tools\/list,tools\/call$/ },
    { server: await modernServer('stateless'), tool: 'whoami', output: 'demo a', methods: /^server\/discover,tools\/list,tools\/call$/ },
    {
      server: await rawServer(() => undefined),
      tool: 'echo',
      output: 'hello',
      methods: /^server\/discover,initialize,notifications\/initialized,tools\/list,tools\/call$/,
    },
  ]
  for (const { server, tool, output, methods } of servers)
    for (const stream of [false, true]) {
      server.seen.length = 0
      const acme = witness('acme', once(tool, { word: 'a' }))
      const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
      const { response } = await ask(under, { model: 'acme/m', stream, tools: [naming(server.url, { authorization: token })] })
      t.match(response.output, [
        { type: 'mcp_list_tools', server_label: 'mine', tools: [{ name: tool }], error: undefined },
        { type: 'mcp_call', server_label: 'mine', name: tool, output, error: null, status: 'completed' },
        { type: 'message' },
      ])
      t.match(server.seen.map(({ method }) => method).join(), methods)
      t.ok(server.seen.every(({ headers }) => headers.authorization === `Bearer ${token}`))
      await under.stop()
    }
  for (const { server } of servers) await server.close()
})

t.test('credentials go to the server alone: not to echoes, stores, records, guardrails, models or logs', async t => {
  const server = await rawServer(({ message: { method }, headers, error }) => {
    if (method === 'tools/call') return void error(`bad token ${headers.authorization} and ${headers['x-team']}`)
  })
  for (const stream of [false, true]) {
    const seen: unknown[] = []
    const guard = guarding({
      input: request => {
        seen.push(structuredClone(request))
        return { pass: true }
      },
    })
    const acme = witness('acme', once('echo'))
    const under = await gateway({ plugins: [acme.plugin, allowing(server.origin), guard], key: logging })
    const entry = naming(`${server.url}?key=demo-key-in-the-address`, { authorization: token, headers: { 'X-Team': 'demo-team-secret' } })
    const answer = await ask(under, { model: 'acme/m', stream, tools: [entry] })
    const { response } = answer
    t.match(response.output[1], {
      type: 'mcp_call',
      status: 'failed',
      error: { type: 'mcp_protocol_error', code: -32_602, message: 'bad token Bearer *** and ***' },
    })
    t.match(response['tools'], [{ type: 'mcp', server_label: 'mine', server_url: server.origin }])
    const stored = await (await under.request(`/v1/responses/${response.id}`)).text()
    t.match(JSON.parse(stored), { id: response.id })
    const record = await under.record(answer.requestId)
    t.match(record, { request: { tools: [{ type: 'mcp', server_label: 'mine', server_url: server.origin }] } })
    const elsewhere = JSON.stringify([response, stored, under.records, under.logs, seen, acme.calls.map(({ request }) => request)])
    t.ok(seen.length > 0)
    t.notMatch(elsewhere, /demo-mcp-token|demo-team-secret/)
    t.notMatch(JSON.stringify([response, stored, under.records, under.logs]), /demo-key-in-the-address/)
    const calls = server.seen.filter(({ method }) => method === 'tools/call')
    t.match(calls.at(-1), {
      path: '/mcp?key=demo-key-in-the-address',
      headers: { authorization: `Bearer ${token}`, 'x-team': 'demo-team-secret' },
    })
    await under.stop()
  }
  await server.close()
})

t.test('sessions and lists are not shared between different credentials, or between owners', async t => {
  const sessions = new Map<string, string>()
  const server = await rawServer(({ message: { method }, headers, reply, response }) => {
    const who = String(headers.authorization)
    if (method === 'initialize') {
      const session = `session-${sessions.size}`
      sessions.set(session, who)
      return void reply(
        { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
        { 'mcp-session-id': session },
      )
    }
    if (method === 'server/discover') return undefined
    if (sessions.get(String(headers['mcp-session-id'])) !== who) return void response.writeHead(404).end()
    if (method === 'tools/list') return { tools: [{ name: `tool_of_${who.slice(-3)}`, inputSchema: { type: 'object' } }] }
    return undefined
  })
  const acme = witness('acme', () => [text('hi'), stop])
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
  for (const who of ['demo-token-ada', 'demo-token-bob', 'demo-token-ada', 'demo-token-bob'])
    await ask(under, { model: 'acme/m', tools: [naming(server.url, { authorization: who })] })
  t.strictSame(
    acme.calls.map(({ request }) => request.tools?.map(tool => (tool as { name?: string }).name)),
    [['mcp__mine__tool_of_ada'], ['mcp__mine__tool_of_bob'], ['mcp__mine__tool_of_ada'], ['mcp__mine__tool_of_bob']],
  )
  t.equal(sessions.size, 2, 'each is used again')
  t.equal(server.seen.filter(({ method }) => method === 'tools/list').length, 2)
  await under.stop()
  await server.close()
})

t.test('only allowed addresses are called', async t => {
  const server = await rawServer(() => undefined)
  const port = new URL(server.url).port
  const acme = witness('acme', () => [text('hi'), stop])
  const origins = [{ origin: 'https://mcp.example.com' }, { origin: 'http://*.localhost' }, { origin: `http://*.demo.example:${port}` }]
  const under = await gateway({ plugins: [acme.plugin, mcp({ origins })] })
  const refused: readonly [string, RegExp][] = [
    [server.url, /does not allow the address/],
    ['http://mcp.example.com/', /does not allow the address/],
    ['https://mcp.example.com:8443/', /does not allow the address/],
    ['https://mcp.example.com.evil.example/', /does not allow the address/],
    ['https://ada:secret@mcp.example.com/', /does not allow the address/],
    ['https://evil.example/https://mcp.example.com', /does not allow the address/],
    ['file:///etc/passwd', /does not allow the address/],
    ['mcp.example.com', /does not allow the address/],
    ['https://localhost/', /does not allow the address/],
    ['https://example.localhost/', /does not allow the address/],
  ]
  for (const [address, message] of refused) {
    const { status, error } = await ask(under, { model: 'acme/m', tools: [naming(address)] })
    t.match([status, error.message, error.param], [400, message, 'tools[0].server_url'], address)
  }
  // Names below `localhost` lead to this machine, so a pattern must not reach it.
  const { status, error } = await ask(under, { model: 'acme/m', tools: [naming(`http://a.localhost/`)] })
  t.match([status, error.message], [424, /outside the public internet|could not be reached/])
  t.equal(server.seen.length, 0)
  t.equal(acme.calls.length, 0)
  await under.stop()
  await server.close()
})

t.test('what a caller hears of servers that fail', async t => {
  const status = (code: number, headers: object = {}) =>
    rawServer(({ response }) => void response.writeHead(code, headers as never).end('demo-body-of-an-error'))
  const cases: readonly [string, Awaited<ReturnType<typeof rawServer>>, RegExp][] = [
    [
      '401',
      await status(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:9/x"' }),
      /refused the request \(HTTP 401\).*Check the authorization/,
    ],
    ['403', await status(403), /refused the request \(HTTP 403\)/],
    [
      '403 scope',
      await status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="x"' }),
      /refused the request \(HTTP 403\)/,
    ],
    ['500', await status(500), /answered with HTTP 500/],
    ['redirect', await status(307, { location: 'http://127.0.0.1:9/' }), /answered with a redirect, which the gateway does not follow/],
    [
      'no JSON',
      await rawServer(({ response }) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>')),
      /did not answer as the protocol says/,
    ],
    [
      'wrong type',
      await rawServer(({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')),
      /did not answer as the protocol says/,
    ],
    [
      'wrong list',
      await rawServer(({ message: { method } }) => (method === 'tools/list' ? { tools: 'all' } : undefined)),
      /did not answer as the protocol says/,
    ],
    [
      'cut',
      await rawServer(({ message: { method }, response }) =>
        method === 'tools/list' ? void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': hi\n\n') : undefined,
      ),
      /ended its reply before the answer/,
    ],
    [
      'reset',
      await rawServer(({ message: { method }, response }) => (method === 'tools/list' ? void response.destroy() : undefined)),
      /could not be reached/,
    ],
    [
      'error',
      await rawServer(({ message: { method }, error }) => (method === 'tools/list' ? void error('demo-body-of-an-error') : undefined)),
      /answered with an error/,
    ],
    [
      'huge',
      await rawServer(({ message: { method } }) => (method === 'tools/list' ? { tools: [], more: 'x'.repeat(9_000_000) } : undefined)),
      /sent more than 8 MiB/,
    ],
    [
      'slow',
      await rawServer(({ message: { method } }) => (method === 'tools/list' ? new Promise(() => {}) : undefined)),
      /did not answer in time/,
    ],
    [
      'endless',
      await rawServer(({ message: { method }, response }) => {
        if (method !== 'tools/list') return undefined
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const timer = setInterval(
          () => response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'),
          5,
        )
        response.on('close', () => clearInterval(timer))
        return new Promise(() => {})
      }),
      /did not answer in time/,
    ],
  ]
  const acme = witness('acme', () => [text('hi'), stop])
  for (const [name, server, message] of cases) {
    const under = await gateway({ plugins: [acme.plugin, allowing(server.origin, { timeoutMs: 1_500 })], key: logging })
    const reply = await ask(under, { model: 'acme/m', tools: [naming(server.url, { authorization: token })] })
    t.match([reply.status, reply.error.message, reply.error.param, reply.error.code], [424, message, 'tools[0]', 'provider_error'], name)
    t.notMatch(JSON.stringify(reply.error) + under.logs.join(), /demo-body-of-an-error|demo-mcp-token/, name)
    t.equal((await under.recorded(1)).length, 1)
    await under.stop()
    await server.close()
  }
  t.equal(acme.calls.length, 0)
})

t.test('calls that fail are told to the model, and the answer goes on', async t => {
  const cases: readonly [string, Parameters<typeof rawServer>[0], RegExp][] = [
    ['401', ({ response }) => void response.writeHead(401).end(), /The MCP server "mine" refused the request \(HTTP 401\)/],
    ['500', ({ response }) => void response.writeHead(500).end(token), /answered with HTTP 500/],
    [
      'cut',
      ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': hi\n\n'),
      /ended its reply before the answer/,
    ],
    ['redirect', ({ response }) => void response.writeHead(302, { location: '/other' }).end(), /redirect/],
    ['slow', () => new Promise(() => {}), /did not answer in time/],
    ['error', ({ error }) => void error(`no such thing, ${token}`), /no such thing, \*\*\*/],
    ['needs input', () => ({ resultType: 'input_required', content: [] }), /./],
  ]
  for (const [name, answer, expected] of cases) {
    const server = await rawServer(call => (call.message.method === 'tools/call' ? answer(call) : undefined))
    const acme = witness('acme', once('echo'))
    const under = await gateway({ plugins: [acme.plugin, allowing(server.origin, { timeoutMs: 1_500 })], key: logging })
    const { response } = await ask(under, { model: 'acme/m', tools: [naming(server.url, { authorization: token })] })
    t.equal(said(response), 'done', name)
    if (name !== 'needs input')
      t.match(response.output[1], { type: 'mcp_call', status: 'failed', output: null, error: { message: expected } }, name)
    t.match(outputsIn(acme.calls[1]!), [expected], name)
    t.notMatch(JSON.stringify(response) + under.logs.join(), /demo-mcp-token/, name)
    await under.stop()
    await server.close()
  }
})

t.test('odd lists of tools: what can be offered is, once', async t => {
  const schema = { type: 'object' }
  const page1 = [
    { name: 'plain', inputSchema: schema },
    { name: 'plain', description: 'again', inputSchema: schema },
    { name: 'a.b', inputSchema: schema },
    { name: 'a_b', inputSchema: schema },
    { name: 'größe 🎈', inputSchema: schema },
    { name: 'x'.repeat(200), inputSchema: schema },
    { name: '', inputSchema: schema },
    { name: 5, inputSchema: schema },
    { name: 'no_schema' },
    { name: 'wrong_schema', inputSchema: { type: 'string' } },
    { name: 'untyped', inputSchema: {} },
    { name: 'vast', inputSchema: { ...schema, description: 'x'.repeat(100_000) } },
    { name: 'bad_header', inputSchema: { ...schema, properties: { a: { type: 'string', 'x-mcp-header': 'bad header' } } } },
    'nonsense',
    null,
    { name: `tool ${token}`, inputSchema: schema },
    { name: 'told', description: `You are ${token}`, inputSchema: schema },
  ]
  const server = await rawServer(({ message: { method, params } }) => {
    if (method !== 'tools/list') return undefined
    return params?.cursor === 'two'
      ? { tools: [{ name: 'later', inputSchema: schema }], nextCursor: 'two' }
      : { tools: page1, nextCursor: 'two' }
  })
  const acme = witness('acme', () => [text('hi'), stop])
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
  const { response } = await ask(under, {
    model: 'acme/m',
    tools: [naming(server.url, { authorization: token, server_description: 'About me.' })],
  })
  const tools = acme.calls[0]!.request.tools as readonly { readonly name: string; readonly description: string }[]
  t.match(
    tools.map(({ name }) => name),
    [
      'mcp__mine__plain',
      /^mcp__mine__a_b_[0-9a-f]{8}$/,
      'mcp__mine__a_b',
      /^mcp__mine__gr__e____[0-9a-f]{8}$/,
      /^mcp__mine__x{44}_[0-9a-f]{8}$/,
      'mcp__mine__untyped',
      'mcp__mine__told',
      'mcp__mine__later',
    ],
  )
  t.match(tools[0]!.description, /About all tools of "mine": About me\./)
  t.match(response.output[0], {
    tools: [
      { name: 'plain' },
      { name: 'a.b' },
      { name: 'a_b' },
      { name: 'größe 🎈' },
      {},
      {},
      { description: 'You are ***' },
      { name: 'later' },
    ],
  })
  t.ok(tools.every(({ name }) => /^[\w-]{1,64}$/.test(name)))
  t.equal(server.seen.filter(({ method }) => method === 'tools/list').length, 2, 'a cursor that repeats ends the list')
  await under.stop()
  await server.close()
})

t.test('a list without an end is cut', async t => {
  let count = 0
  const server = await rawServer(({ message: { method } }) =>
    method === 'tools/list'
      ? { tools: Array.from({ length: 10 }, () => ({ name: `t${count++}`, inputSchema: { type: 'object' } })), nextCursor: `c${count}` }
      : undefined,
  )
  const acme = witness('acme', () => [text('hi'), stop])
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
  await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  t.equal(acme.calls[0]!.request.tools?.length, 200)
  await under.stop()
  await server.close()
})

t.test('the time limit holds for all pages of a list together', async t => {
  let pages = 0
  const server = await rawServer(async ({ message: { method } }) => {
    if (method !== 'tools/list') return undefined
    await new Promise(resolve => setTimeout(resolve, 600))
    return { tools: [], nextCursor: `c${pages++}` }
  })
  const acme = witness('acme', () => [text('hi'), stop])
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin, { timeoutMs: 1_000 })] })
  const { status, error } = await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  t.equal(status, 424)
  t.match(error, { message: /did not answer in time/ })
  t.ok(pages < 5, 'it was not asked for all of them')
  await under.stop()
  await server.close()
})

t.test('a list that changed is asked for again', async t => {
  let version = 1
  const server = await rawServer(({ message: { method, params }, error }) => {
    if (method === 'tools/list') return { tools: [{ name: `echo${version}`, inputSchema: { type: 'object' } }] }
    if (method === 'tools/call' && params?.name !== `echo${version}`) return void error('Unknown tool')
    return undefined
  })
  const acme = witness('acme', once('echo1'))
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
  await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  version = 2
  const { response } = await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  t.match(response.output[1], { type: 'mcp_call', status: 'failed', error: { message: /Unknown tool/ } })
  await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  t.match(acme.calls.at(-1)!.request.tools, [{ name: 'mcp__mine__echo2' }])
  await under.stop()
  await server.close()
})

t.test('policies hold for servers that callers name', async t => {
  const server = await rawServer(() => undefined)
  for (const field of ['zdr', 'hipaa'] as const) {
    const agreement =
      field === 'zdr' ? { zdr: { policy_url: 'https://example.com/zdr' } } : { hipaa: { baa_url: 'https://example.com/baa' } }
    for (const [option, status] of [
      [{}, 422],
      [agreement, 200],
      [{ local: true }, 200],
    ] as const) {
      const acme = witness('acme', once('echo'))
      const endpoint = {
        provider: 'acme',
        upstreamModel: 'm',
        zdr: { policy_url: 'https://example.com/zdr' },
        hipaa: { baa_url: 'https://example.com/baa' },
      }
      const plugins = [acme.plugin, allowing(server.origin, option), zdr({}), hipaa({}), listing({ model: 'm', endpoints: [endpoint] })]
      const under = await gateway({ plugins, key: { policy: { [field]: { value: true } } } })
      const before = server.seen.length
      t.equal((await ask(under, { model: 'm', tools: [naming(server.url)] })).status, status)
      if (status === 422) t.equal(server.seen.length, before)
      await under.stop()
    }
  }
  const acme = witness('acme', once('echo'))
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin, { requireApproval: 'always' })] })
  const { response } = await ask(under, { model: 'acme/m', tools: [naming(server.url)] })
  t.equal(response.output[1]!['type'], 'mcp_approval_request', 'the operator has the last word')
  await under.stop()
  await server.close()
})

t.test('entries that cannot be served', async t => {
  const server = await rawServer(() => undefined)
  const acme = witness('acme', () => [text('hi'), stop])
  const under = await gateway({ plugins: [acme.plugin, allowing(server.origin)] })
  const refused: readonly [object, RegExp, string][] = [
    [{ connector_id: 'connector_demo' }, /connector_id is not supported/, 'tools[0].connector_id'],
    [{ authorization: token, headers: { Authorization: 'x' } }, /Expected one authorization/, 'tools[0].authorization'],
    [{ authorization: `${token}\r\nx: y` }, /authorization/, 'tools[0].authorization'],
    [{ authorization: { token } }, /authorization/, 'tools[0].authorization'],
    [{ headers: { Host: 'evil.example' } }, /"host" belongs to the connection/, 'tools[0].headers'],
    [{ headers: { 'Mcp-Session-Id': 'x' } }, /"mcp-session-id" belongs/, 'tools[0].headers'],
    [{ headers: { a: 'x', A: 'y' } }, /"a" occurs more than once/, 'tools[0].headers'],
    [{ headers: { a: `${token}\n` } }, /headers/, 'tools[0].headers.a'],
    [{ headers: { 'b c': token } }, /is not the name of a header/, 'tools[0].headers'],
    [{ headers: [token] }, /headers/, 'tools[0].headers'],
  ]
  for (const [more, message, param] of refused) {
    const { status, error } = await ask(under, { model: 'acme/m', tools: [naming(server.url, more)] })
    t.match([status, error.message, error.param], [400, message, param])
    t.notMatch(JSON.stringify(error), /demo-mcp-token/)
  }
  const unnamed = await ask(under, { model: 'acme/m', tools: [{ type: 'mcp', server_label: 'mine' }] })
  t.match([unnamed.status, unnamed.error.message], [400, /Name one with its server_url/])
  const orphan = await ask(under, { model: 'acme/m', tools: [{ type: 'mcp', server_label: 'mine', authorization: token }] })
  t.match([orphan.status, orphan.error.param], [400, 'tools[0].authorization'])
  const twice = await ask(under, { model: 'acme/m', tools: [naming(server.url), naming(server.url)] })
  t.match([twice.status, twice.error.message], [400, /More than one tool offers the function "mcp__mine__echo"/])
  t.equal(acme.calls.length, 0)
  await under.stop()
  await server.close()
})

t.test('the config must make sense', async t => {
  const wrong: readonly [object, RegExp][] = [
    [{}, /lists neither/],
    [{ origins: [{ origin: 'https://*' }] }, /lists the origin/],
    [{ origins: [{ origin: 'https://a.*.example.com' }] }, /expected \* only as the first part/],
    [{ origins: [{ origin: 'https://ada@example.com' }] }, /expected a scheme and a host/],
    [{ origins: [{ origin: 'https://example.com' }, { origin: 'https://EXAMPLE.com:443/' }] }, /twice/],
    [{ origins: [{ origin: 'ftp://example.com' }] }, /origin/],
    [{ origins: [{ origin: 'https://example.com/mcp' }] }, /origin/],
  ]
  for (const [options, message] of wrong) await t.rejects(gateway({ plugins: [mcp(options as never)] }), message)
})

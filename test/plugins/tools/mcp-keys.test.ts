import t from 'tap'
import mcp from '../../../plugins/tools/mcp/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'
import { lookup } from '../../kit/tool-stage.ts'
import { rawServer } from './mcp-raw-server.ts'

const schema = { type: 'object' }
const server = await rawServer(({ message: { method } }) =>
  method === 'tools/list'
    ? { tools: ['get_page', 'get_list', 'drop_all', 'get_page/drop'].map(name => ({ name, inputSchema: schema })) }
    : undefined,
)
t.teardown(() => server.close())
const host = new URL(server.url).host

/** The tools that a key is offered, or the error. */
async function offered(tools: readonly string[] | undefined, entry: object): Promise<readonly string[] | string> {
  const acme = witness('acme', () => [text('hi'), stop])
  const plugin = mcp({ servers: [{ label: 'docs', url: server.url }], origins: [{ origin: server.origin }] })
  const under = await gateway({ plugins: [acme.plugin, plugin, lookup().plugin], ...(tools && { key: { tools } }) })
  const reply = await ask(under, { model: 'acme/m', tools: [entry] })
  await under.stop()
  if (reply.status !== 200) return `${reply.status} ${reply.error.code} ${reply.error.param} ${reply.error.message}`
  return (acme.calls[0]!.request.tools ?? []).map(tool =>
    'name' in tool
      ? String(tool.name)
          .replace(/^mcp__\w+?__/, '')
          .replace(/_[0-9a-f]{8}$/, '!')
      : tool.type,
  )
}

const docs = { type: 'mcp', server_label: 'docs' }
const mine = { type: 'mcp', server_label: 'docs2', server_url: server.url }
const all = ['get_page', 'get_list', 'drop_all', 'get_page_drop!']

t.test('a key is offered the tools that it may use', async t => {
  t.strictSame(await offered(undefined, docs), all)
  for (const name of ['mcp', '*', 'mcp/*', 'mcp/docs', 'mcp/docs/*']) t.strictSame(await offered([name], docs), all, name)
  t.strictSame(await offered(['mcp/docs/get_page'], docs), ['get_page'], 'a name with a slash is no part of another tool')
  t.strictSame(await offered(['mcp/docs/get_*', 'lookup'], docs), ['get_page', 'get_list', 'get_page_drop!'])
  t.strictSame(await offered(['mcp/docs/get_list', 'mcp/docs/none'], docs), ['get_list'])
  t.strictSame(await offered([`mcp/${host}`], mine), all)
  t.strictSame(await offered([`mcp/${host}/get_list`], mine), ['get_list'])
  t.strictSame(await offered(['lookup'], { type: 'lookup' }), ['lookup'])
})

t.test('everything else is a 403', async t => {
  t.match(await offered([], docs), /^403 tool_not_allowed tools\[0\] This API key may not use the tool "mcp"\. It may use: none\./)
  t.match(
    await offered(['lookup'], docs),
    /^403 tool_not_allowed tools\[0\] This API key may not use the tool "mcp"\. It may use: lookup\./,
  )
  t.match(await offered(['mcp/docs'], { type: 'lookup' }), /^403 .*the tool "lookup"/)
  t.match(await offered(['mcp/other/get_page'], docs), /^403 .*the MCP server "docs"/)
  t.match(await offered(['mcp/docs2'], mine), /^403 .*the MCP server "127\.0\.0\.1:\d+"/, 'the label of the caller does not count')
  t.match(await offered(['mcp/docs'], mine), /^403 /)
})

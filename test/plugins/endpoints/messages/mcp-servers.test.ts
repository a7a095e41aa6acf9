import t from 'tap'
import { fakeUpstream, type ReceivedRequest } from '../../../../core/testing/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { askMessages } from './stage.ts'

t.test('the record shows of MCP servers their origins, and no token', async t => {
  const asked: ReceivedRequest[] = []
  const reply = {
    id: 'msg_vendor',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 2 },
  }
  const vendor = await fakeUpstream(request => {
    asked.push(request)
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
  })
  t.teardown(() => vendor.close())
  const plugins = [messages({}), anthropic({ baseUrl: vendor.url, apiKey: 'sk-demo-1' })]
  const under = await gateway({ plugins, key: { policy: { logging: { value: true } } } })
  t.teardown(under.stop)
  const server = { type: 'url', url: 'https://mcp.example.com/mcp?key=demo-query-key', name: 'demo', authorization_token: 'demo-mcp-token' }
  const { status, headers } = await askMessages(under, { model: 'anthropic/claude-sonnet-4-5', mcp_servers: [server, 'odd'] })
  t.equal(status, 200)
  t.match(asked[0]!.body, { mcp_servers: [server, 'odd'] }, 'the vendor calls it')
  const record = await under.record(headers.get('x-request-id')!)
  t.match(record, { request: { mcp_servers: [{ type: 'url', url: 'https://mcp.example.com', name: 'demo' }, 'odd'] } })
  t.notMatch(JSON.stringify([record, under.logs]), /demo-mcp-token|demo-query-key/)
})

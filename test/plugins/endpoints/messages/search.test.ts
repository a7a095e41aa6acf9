import t from 'tap'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import webSearch from '../../../../plugins/tools/web-search/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { engine, searching } from '../../../kit/search-stage.ts'
import { askMessages } from './stage.ts'

const tools = [
  {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: 3,
    allowed_domains: ['example.com'],
    user_location: { type: 'approximate', city: null, country: 'NO' },
  },
]

t.test('a model without a search searches through the gateway', async t => {
  for (const dialect of ['demo', 'anthropic-messages']) {
    const acme = searching('acme', ['weather'], { dialect })
    const found = engine('found', () => [{ url: 'https://example.com/oslo', title: 'Oslo', text: 'Sunny.' }])
    const under = await gateway({ plugins: [messages({}), acme.plugin, found.plugin, webSearch({ maxCached: 0 })] })
    t.teardown(under.stop)
    const { status, body, headers } = await askMessages(under, { model: 'acme/m', tools })
    t.equal(status, 200, JSON.stringify(body))
    t.equal(headers.get('x-gateway-warnings'), null)
    t.match(found.asked, [{ query: 'weather', allowedDomains: ['example.com'] }])
    t.match(body, {
      content: [
        { type: 'server_tool_use', name: 'web_search', input: { query: 'weather' } },
        { type: 'web_search_tool_result', content: [{ url: 'https://example.com/oslo', title: 'Oslo' }] },
        { type: 'text', text: 'done' },
      ],
      stop_reason: 'end_turn',
      usage: { input_tokens: 20, output_tokens: 10 },
    })
    const streamed = await askMessages(under, { model: 'acme/m', tools, stream: true })
    t.equal(streamed.body.content.at(-1)!['text'], 'done')
    const again = await askMessages(under, {
      model: 'acme/m',
      tools,
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: body.content },
        { role: 'user', content: 'Thanks' },
      ],
    })
    t.equal(again.status, 200)
  }
})

import t from 'tap'
import { fakeUpstream, type FakeReply } from '../../../core/testing/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask } from '../../kit/stage.ts'
import { engine } from '../../kit/search-stage.ts'

const citations = ['https://example.com/one', 'https://example.com/two']
const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 }

function answer(stream: boolean): FakeReply {
  const said = { role: 'assistant', content: 'Sunny [2].' }
  const body = { model: 'sonar', usage, citations, search_results: [{ url: citations[1], title: 'Two', snippet: 'Sun.' }] }
  if (!stream) return { body: JSON.stringify({ ...body, choices: [{ index: 0, message: said, finish_reason: 'stop' }] }) }
  const chunk = JSON.stringify({ ...body, choices: [{ index: 0, delta: said, finish_reason: 'stop' }] })
  return { headers: { 'content-type': 'text/event-stream' }, body: `data: ${chunk}\n\n` }
}

t.test('a model with a search of its own searches itself, and no engine is asked', async t => {
  const found = engine('found')
  const upstream = await fakeUpstream(({ body }) => answer((body as { readonly stream?: boolean }).stream === true))
  t.teardown(() => upstream.close())
  const provider = openaiChat({ host: 'perplexity', apiKey: 'pplx-demo-1', baseUrl: upstream.url })
  const under = await gateway({ plugins: [provider, found.plugin, webSearch({})] })
  t.teardown(() => under.stop())
  const tools = [{ type: 'web_search', search_context_size: 'low', filters: { allowed_domains: ['example.com'] } }]
  for (const stream of [false, true]) {
    const { response } = await ask(under, { model: 'perplexity/sonar', tools, stream, include: ['web_search_call.results'] })
    t.match(response.output, [
      {
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', sources: citations.map(url => ({ type: 'url', url })) },
        results: [{ url: citations[0] }, { url: citations[1], title: 'Two', text: 'Sun.' }],
      },
      {
        type: 'message',
        content: [
          {
            text: 'Sunny [2].',
            annotations: [{ type: 'url_citation', url: citations[1], title: 'Two', start_index: 6, end_index: 9 }],
          },
        ],
      },
    ])
  }
  t.same(found.asked, [])
  for (const { body } of upstream.requests)
    t.match(body, { web_search_options: { search_context_size: 'low' }, search_domain_filter: ['example.com'] })

  await ask(under, { model: 'perplexity/r1-1776', tools })
  t.notOk('web_search_options' in (upstream.requests.at(-1)!.body as object), 'a model without one gets the function')
  t.match(upstream.requests.at(-1)!.body, { tools: [{ type: 'function', function: { name: 'managed_web_search' } }] })
})

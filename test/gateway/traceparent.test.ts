import t from 'tap'
import { CallObservers, type CallObserver } from '../../core/index.ts'
import { fakeUpstream } from '../../core/testing/index.ts'
import dm from '../../plugins/decisions/dm/index.ts'
import openaiDecisions from '../../plugins/decisions/openai/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import aiSdk from '../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import cohere from '../../plugins/providers/cohere/index.ts'
import gemini from '../../plugins/providers/gemini/index.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { gateway } from '../kit/gateway.ts'
import { adding, listing } from '../kit/stage.ts'

const own = '00-0af7651916cd43dd8448eb211c80319c-1111111111111111-01'
const callers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'demo=1', baggage: 'user=demo' }

t.test('every vendor gets the traceparent of an observer, and nothing of the caller', async t => {
  const vendor = await fakeUpstream(() => ({
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"message":"No."}}',
  }))
  t.teardown(() => vendor.close())
  const base = { apiKey: 'sk-demo', baseUrl: `${vendor.url}/v1` }
  const plugins = () => [
    decisions({}),
    embeddings({}),
    rerank({}),
    openaiChat({ host: 'groq', ...base }),
    openaiResponses(base),
    anthropic(base),
    gemini(base),
    cohere(base),
    aiSdk({ id: 'bridged', package: '@ai-sdk/groq', ...base }),
    dm(base),
    openaiDecisions({ ...base, id: 'public', models: ['judge'] }),
    listing(
      { model: 'embed', endpoints: [{ provider: 'openai', kind: 'embedding' }] },
      { model: 'rank', endpoints: [{ provider: 'cohere', kind: 'rerank' }] },
    ),
  ]
  const generating = ['groq', 'openai', 'anthropic', 'gemini', 'cohere', 'bridged']
  const requests: readonly [string, object][] = [
    ...generating.flatMap(id =>
      [true, false].map(stream => ['/v1/responses', { model: `${id}/m`, input: 'hi', stream }] as [string, object]),
    ),
    ['/v1/embeddings', { model: 'embed', input: 'hi' }],
    ['/v1/rerank', { model: 'rank', query: 'hi', documents: ['a', 'b'] }],
    ['/v1/systemone', { model: 'vendor/dm', state: 'hi', questions: { yes: { type: 'noul', description: 'Yes?' } } }],
    ['/v1/decisions', { model: 'public/judge', input: 'hi', questions: [{ type: 'predicate', name: 'yes', instructions: 'Yes?' }] }],
  ]
  for (const traceparent of [own, undefined]) {
    const observer = adding<CallObserver>(CallObservers, {
      name: 'tracing',
      begin: () => ({ attempt: () => ({ traceparent, end: () => {} }) }),
    })
    const under = await gateway({
      settings: { logLevel: 'silent', retries: 0 },
      plugins: [...plugins(), ...(traceparent ? [observer] : [])],
    })
    t.teardown(under.stop)
    for (const [path, body] of requests) {
      const before = vendor.requests.length
      const reply = await (await under.request(path, { body, headers: callers })).text()
      const sent = vendor.requests.slice(before)
      const name = `${path} ${JSON.stringify(body)} ${traceparent}`
      t.ok(sent.length > 0, `${name} ${sent.length > 0 ? '' : reply}`)
      for (const { headers } of sent) {
        t.equal(headers['traceparent'], traceparent, name)
        for (const header of ['tracestate', 'baggage']) t.equal(headers[header], undefined, name)
      }
    }
  }
})

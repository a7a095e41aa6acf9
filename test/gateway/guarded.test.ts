import t, { type Test } from 'tap'
import { AdminRoutes, type AdminRoute } from '../../core/admin.ts'
import { definePlugin, invalidRequest, Routes, type GuardSession, type Registry, type Route } from '../../core/index.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import summary from '../../plugins/compactors/summary/index.ts'
import admin from '../../plugins/endpoints/admin/index.ts'
import dashboard from '../../plugins/endpoints/dashboard/index.ts'
import conversations from '../../plugins/endpoints/conversations/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import chat from '../../plugins/endpoints/chat/index.ts'
import geminiApi from '../../plugins/endpoints/gemini/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import openapi from '../../plugins/endpoints/openapi/index.ts'
import accountPolicies from '../../plugins/policies/accounts/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import rerank from '../../plugins/endpoints/rerank/index.ts'
import { deciding } from '../kit/decision-stage.ts'
import { embedded, embeddingWitness, reranked, rerankWitness } from '../kit/retrieval-stage.ts'
import { guarding, stop, text, witness } from '../kit/stage.ts'
import { gateway } from '../kit/gateway.ts'

// No route reaches a model past the guardrails. Every route of both listeners is in one of the two lists, so a new one fails this test until
// somebody has thought about it.

interface Reaching {
  /** A body whose only content is the word CANARY. */
  readonly body: (stream: boolean) => object
  /** True if the reply contains the model's answer. */
  readonly answers?: boolean
  /** It only counts: the model itself is not asked. */
  readonly counts?: boolean
  /** The answer is a compaction, which nobody can read. */
  readonly compacts?: boolean
  /** Guardrails see it as a generation. */
  readonly isRetrieval?: boolean
  /** The path of a route that has several methods. */
  readonly path?: (stream: boolean) => string
}

const generation = (stream: boolean): object => ({ model: 'acme/m', input: 'CANARY', stream })
const message = (stream: boolean): object => ({ model: 'acme/m', max_tokens: 100, messages: [{ role: 'user', content: 'CANARY' }], stream })
const completion = (stream: boolean): object => ({ model: 'acme/m', messages: [{ role: 'user', content: 'CANARY' }], stream })
const contents = { contents: [{ parts: [{ text: 'CANARY' }] }] }
const content = (version: string): Reaching => ({
  body: () => contents,
  answers: true,
  path: stream => `/${version}/models/acme/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
})
const decision = { model: 'one', state: 'CANARY', questions: { q: { type: 'noul', instructions: 'Is it?' } } }
const publicDecision = { model: 'one', input: 'CANARY', questions: [{ type: 'predicate', name: 'q', instructions: 'Is it?' }] }

const reaching: Readonly<Record<string, Reaching>> = {
  'POST /v1/responses': { body: generation, answers: true },
  'POST /v1/responses/compact': { body: generation, compacts: true },
  'POST /v1/responses/input_tokens': { body: generation, counts: true },
  'POST /v1/chat/completions': { body: completion, answers: true },
  'POST /v1/messages': { body: message, answers: true },
  'POST /v1/messages/count_tokens': { body: message, counts: true },
  'POST /v1beta/models/**:id': content('v1beta'),
  'POST /v1/models/**:id': content('v1'),
  'POST /v1beta/:provider/**:id': {
    ...content('v1beta'),
    path: stream => `/v1beta/acme/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  },
  'POST /v1/systemone': { body: () => decision },
  'POST /v1/embeddings': { body: () => ({ model: 'embedder/m', input: ['CANARY'] }), isRetrieval: true },
  'POST /v1/rerank': { body: () => ({ model: 'ranker/m', query: 'CANARY', documents: ['a'] }), isRetrieval: true },
  'POST /v2/rerank': { body: () => ({ model: 'ranker/m', query: 'q', documents: ['CANARY'] }), isRetrieval: true },
  'POST /v1/decisions': { body: () => publicDecision },
  'POST /admin/v1/playground/responses': { body: stream => ({ key: 'KEY', request: generation(stream) }), answers: true },
  'POST /admin/v1/playground/systemone': { body: () => ({ key: 'KEY', request: decision }) },
  'POST /admin/v1/playground/decisions': { body: () => ({ key: 'KEY', request: publicDecision }) },
  'POST /admin/v1/playground/chat': { body: stream => ({ key: 'KEY', request: completion(stream) }), answers: true },
  'POST /admin/v1/playground/gemini': { body: () => ({ key: 'KEY', request: { model: 'acme/m', ...contents } }), answers: true },
  'POST /admin/v1/playground/messages': { body: stream => ({ key: 'KEY', request: message(stream) }), answers: true },
  'POST /admin/v1/playground/embeddings': {
    body: () => ({ key: 'KEY', request: { model: 'embedder/m', input: ['CANARY'] } }),
    isRetrieval: true,
  },
  'POST /admin/v1/playground/rerank': {
    body: () => ({ key: 'KEY', request: { model: 'ranker/m', query: 'CANARY', documents: ['a'] } }),
    isRetrieval: true,
  },
}

/** The other methods of such routes. */
const methods: Readonly<Record<string, Reaching>> = {
  'POST /v1beta/models/**:id countTokens': { body: () => contents, counts: true, path: () => '/v1beta/models/acme/m:countTokens' },
  'POST /v1beta/models/**:id embedContent': {
    body: () => ({ content: { parts: [{ text: 'CANARY' }] } }),
    isRetrieval: true,
    path: () => '/v1beta/models/embedder/m:embedContent',
  },
  'POST /v1beta/models/**:id batchEmbedContents': {
    body: () => ({ requests: [{ content: { parts: [{ text: 'CANARY' }] } }] }),
    isRetrieval: true,
    path: () => '/v1beta/models/embedder/m:batchEmbedContents',
  },
}

/** The route that serves it. The playground has one for all surfaces. */
const routeOf = (name: string): string => name.replace(/(?<=\/playground\/)\w+$/, ':name')

/** Routes that no model is asked for. */
const others = [
  'GET /v1/models',
  'GET /v1/models/**:id',
  'GET /v1beta/models',
  'GET /v1beta/models/**:id',
  'GET /v1/responses/health',
  'GET /v1/responses/:id',
  'DELETE /v1/responses/:id',
  'GET /v1/responses/:id/input_items',
  'POST /v1/responses/:id/cancel',
  'POST /v1/conversations',
  'GET /v1/conversations/:id',
  'POST /v1/conversations/:id',
  'DELETE /v1/conversations/:id',
  'POST /v1/conversations/:id/items',
  'GET /v1/conversations/:id/items',
  'GET /v1/conversations/:id/items/:item',
  'DELETE /v1/conversations/:id/items/:item',
  'GET /openapi.json',
  ...['orgs', 'teams', 'users', 'keys'].flatMap(list => [
    `GET /admin/v1/${list}`,
    `POST /admin/v1/${list}`,
    `GET /admin/v1/${list}/:id`,
    `PATCH /admin/v1/${list}/:id`,
    `DELETE /admin/v1/${list}/:id`,
  ]),
  'GET /admin/v1/orgs/:id/credits',
  'POST /admin/v1/orgs/:id/credits',
  'POST /admin/v1/keys/:id/rotate',
  'GET /admin/v1/keys/:id/policy',
  'GET /admin/v1/records',
  'GET /admin/v1/records/export',
  'GET /admin/v1/records/:id',
  'GET /admin/v1/usage',
  'GET /admin/v1/alerts',
  'POST /admin/v1/alerts/:id/acknowledge',
  'GET /admin/v1/silences',
  'POST /admin/v1/silences',
  'DELETE /admin/v1/silences/:id',
  'GET /admin/v1/audit',
  'GET /admin/v1/metrics/endpoints',
  'GET /admin/v1/providers',
  'GET /admin/v1/load',
  'GET /admin/v1/models',
  'GET /admin/v1/plugins',
  'GET /admin/v1/config',
  'GET /admin/v1/routes',
  'GET /admin/v1/playground',
  'GET /admin/v1/admin-tokens',
  'POST /admin/v1/admin-tokens',
  'DELETE /admin/v1/admin-tokens/:id',
  'GET /admin/openapi.json',
  'GET /',
  'GET /:page',
  'GET /app/**:path',
  'GET /favicon.ico',
  'GET /modules/:file',
  'GET /openid',
  'GET /openid-callback',
  'GET /session',
  'POST /session',
  'DELETE /session',
]

const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

async function stage(t: Test, ...sessions: readonly GuardSession[]) {
  let tables!: { readonly admin: Registry<AdminRoute>; readonly open: Registry<Route> }
  const reading = definePlugin({
    name: 'route-tables',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { admin: AdminRoutes, open: Routes },
    setup(_, __, needs) {
      tables = needs
    },
  })({})
  const asked: string[] = []
  const acme = witness('acme', ({ context, request }) => {
    asked.push(`${context.id} ${JSON.stringify(request)}`)
    return [text('CANARY of the model'), stop]
  })
  const one = deciding('vendor', ({ context, request }) => {
    asked.push(`${context.id} ${JSON.stringify(request)}`)
    return { answers: { q: { type: 'noul', noul: 0.5 } }, usage: undefined }
  })
  const embedder = embeddingWitness('embedder', call => {
    asked.push(`${call.context.id} ${JSON.stringify(call.request)}`)
    return embedded(call)
  })
  const ranker = rerankWitness('ranker', call => {
    asked.push(`${call.context.id} ${JSON.stringify(call.request)}`)
    return reranked(call)
  })
  const surfaces: readonly PluginUse[] = [
    admin({}),
    dashboard({}),
    accountPolicies({}),
    decisions({ aliasUntil: '2999-12-31' }),
    conversations({}),
    chat({}),
    messages({}),
    geminiApi({}),
    openapi({}),
    embeddings({}),
    rerank({}),
    summary({}),
    embedder.plugin,
    ranker.plugin,
  ]
  const under = await gateway({ plugins: [...surfaces, reading, acme.plugin, one.plugin, ...sessions.map(each => guarding(each))] })
  t.teardown(under.stop)
  const [key] = await under.gateway.keys.list()
  const { app, localToken } = under.gateway.admin!
  const call = async (route: string, body?: object, at?: string): Promise<{ readonly status: number; readonly text: string }> => {
    const [method = '', path = ''] = route.split(' ')
    const url = at ?? path.replaceAll(/(?:\*\*)?:\w+/g, 'x')
    const isAdmin = tables.admin.values().some(each => nameOf(each) === routeOf(route))
    const text = body && JSON.stringify(body).replaceAll('KEY', key!.id)
    const headers = { authorization: `Bearer ${localToken}`, ...(text !== undefined && { 'content-type': 'application/json' }) }
    const reply = isAdmin
      ? await app.h3.request(url, { method, headers, ...(text !== undefined && { body: text }) })
      : await under.request(url, { method, ...(text !== undefined && { body: text, headers: { 'content-type': 'application/json' } }) })
    return { status: reply.status, text: await reply.text() }
  }
  const trials = tables.open.values().flatMap(({ trial }) => (trial ? [`POST /admin/v1/playground/${trial.name}`] : []))
  return { under, asked, call, trials, routes: [...tables.admin.values(), ...tables.open.values()].map(nameOf) }
}

t.test('every route is in one of the lists', async t => {
  const { routes, trials } = await stage(t)
  t.same(routes.toSorted(), [...new Set([...Object.keys(reaching).map(routeOf), ...others])].toSorted())
  t.same(
    trials.toSorted(),
    Object.keys(reaching)
      .filter(name => routeOf(name) !== name)
      .toSorted(),
    'and everything that can be tried',
  )
})

const forbidden = invalidRequest('CANARY is not talked about here.', undefined, 'invalid_prompt')

for (const [route, { body, answers, counts, compacts, isRetrieval, path }] of Object.entries({ ...reaching, ...methods }))
  t.test(`${route} is guarded`, async t => {
    const streams = answers ? [false, true] : [false]
    const isDecision = !answers && !counts && !compacts && !isRetrieval

    const open = await stage(t)
    for (const stream of streams) {
      const { status, text } = await open.call(route, body(stream), path?.(stream))
      t.equal(status, 200, 'without a guardrail it is served')
      if (answers) t.match(text, 'CANARY of the model')
    }
    t.equal(open.asked.length, counts ? 0 : streams.length)

    const seen: string[] = []
    const refuse = (request: object): { refuse: typeof forbidden } => {
      seen.push(JSON.stringify(request))
      return { refuse: forbidden }
    }
    const refusing = await stage(t, { input: refuse, decision: refuse })
    for (const stream of streams) t.equal((await refusing.call(route, body(stream), path?.(stream))).status, 400)
    t.equal(refusing.asked.length, 0, 'what a guardrail refuses reaches no model')
    t.equal(seen.length, streams.length)
    for (const each of seen) t.match(each, 'CANARY')

    const mask = <R extends object>(request: R): { replace: R } => ({
      replace: JSON.parse(JSON.stringify(request).replaceAll('CANARY', '***')),
    })
    const masking = await stage(t, { input: mask, decision: mask })
    for (const stream of streams) t.equal((await masking.call(route, body(stream), path?.(stream))).status, 200)
    for (const each of masking.asked) t.notMatch(each, 'CANARY', 'the model gets what the guardrails left')

    const routing = await stage(t, { route: () => false })
    for (const stream of streams) t.equal((await routing.call(route, body(stream), path?.(stream))).status, 422)
    t.equal(routing.asked.length, 0)

    const unchecked = await stage(t, { input: () => ({ pass: true }) })
    for (const stream of streams) t.equal((await unchecked.call(route, body(stream), path?.(stream))).status, isDecision ? 422 : 200)

    if (!answers) return
    for (const session of [
      { output: () => ({ push: (piece: string) => piece.replaceAll('CANARY', '***'), flush: () => '' }) },
      { item: ({ texts }) => ({ replace: texts.map(({ text }) => text.replaceAll('CANARY', '***')) }) },
    ] satisfies readonly GuardSession[]) {
      const filtering = await stage(t, session)
      for (const stream of streams) {
        const { status, text } = await filtering.call(route, body(stream), path?.(stream))
        t.equal(status, 200)
        t.match(text, '*** of the model')
        t.notMatch(text, 'CANARY of the model', 'the caller gets what the guardrails left')
      }
    }
  })

t.test('no other route asks a model', async t => {
  const { call, asked } = await stage(t)
  for (const route of others) {
    const [method = ''] = route.split(' ')
    await call(route, method === 'GET' || method === 'DELETE' ? undefined : generation(false))
    t.equal(asked.length, 0, route)
  }
})

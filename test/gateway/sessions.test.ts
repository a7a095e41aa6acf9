import t, { type Test } from 'tap'
import type { JsonObject } from '../../core/index.ts'
import chat from '../../plugins/endpoints/chat/index.ts'
import decisions from '../../plugins/endpoints/decisions/index.ts'
import embeddings from '../../plugins/endpoints/embeddings/index.ts'
import gemini from '../../plugins/endpoints/gemini/index.ts'
import messages from '../../plugins/endpoints/messages/index.ts'
import { gateway, hello, type GatewayUnderTest } from '../kit/gateway.ts'
import { listing, witness, type Witness } from '../kit/stage.ts'

type Options = NonNullable<Parameters<typeof gateway>[0]>
type Headers = Readonly<Record<string, string>>

interface Stage {
  readonly under: GatewayUnderTest
  readonly acme: Witness
  /** The session in the record of a request. */
  readonly session: (path: string, body: object, headers?: Headers) => Promise<string | null>
}

async function stage(t: Test, options: Options = {}): Promise<Stage> {
  const acme = witness('acme', () => hello)
  const plugins = [
    chat({}),
    messages({}),
    gemini({}),
    embeddings({}),
    decisions({}),
    acme.plugin,
    listing({ model: 'm', endpoints: [{ provider: 'acme' }] }),
  ]
  const under = await gateway({ ...options, plugins: [...plugins, ...(options.plugins ?? [])] })
  t.teardown(under.stop)
  return {
    under,
    acme,
    async session(path, body, headers) {
      const reply = await under.request(path, { body, ...(headers && { headers }) })
      return (await under.record(reply.headers.get('x-request-id')!)).session
    },
  }
}

const name = '7f3c1d52-0b1e-4b52-9f57-0c9b8f9a1e11'
const said = [{ role: 'user', content: 'hi' }]
/** A request to each surface. */
const surfaces: readonly (readonly [path: string, body: JsonObject])[] = [
  ['/v1/responses', { model: 'acme/m', input: 'hi' }],
  ['/v1/responses/input_tokens', { model: 'acme/m', input: 'hi' }],
  ['/v1/chat/completions', { model: 'acme/m', messages: said }],
  ['/v1/messages', { model: 'acme/m', max_tokens: 10, messages: said }],
  ['/v1/messages/count_tokens', { model: 'acme/m', messages: said }],
  ['/v1beta/models/acme%2Fm:generateContent', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  ['/v1beta/models/acme%2Fm:countTokens', { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
]
const others: readonly (readonly [path: string, body: JsonObject])[] = [
  ['/v1/embeddings', { model: 'acme/m', input: 'hi' }],
  ['/v1/systemone', { model: 'dm', state: 'x', questions: { q: { type: 'noul' } } }],
]

t.test('a session has the same id on every surface', async t => {
  const { session } = await stage(t)
  const id = await session('/v1/responses', { model: 'acme/m', input: 'hi', session_id: name })
  t.match(id, /^ses_[0-9a-f]{32}$/)
  for (const [path, body] of surfaces) {
    t.equal(await session(path, body), null, `${path} without`)
    t.equal(await session(path, { ...body, session_id: name }), id, `${path} by its body`)
  }
  for (const header of ['x-claude-code-session-id', 'session-id', 'session_id', 'x-session-id', 'x-session-affinity'])
    for (const [path, body] of [...surfaces, ...others]) t.equal(await session(path, body, { [header]: name }), id, `${path} by ${header}`)
})

t.test('headers come before the body, and each name before the next', async t => {
  const { session } = await stage(t)
  const ask = (body: object, headers?: Headers) => session('/v1/responses', { model: 'acme/m', input: 'hi', ...body }, headers)
  const idOf = (name: string) => ask({ session_id: name })
  const [a, b, c, d, e] = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(idOf))
  t.equal(await ask({ session_id: 'b' }, { 'session-id': 'a' }), a)
  t.equal(await ask({}, { 'session-id': 'b', 'x-claude-code-session-id': 'a' }), a)
  t.equal(await ask({}, { 'x-session-id': 'b', session_id: 'a' }), a)
  const metadata = { user_id: 'user_ada_account__session_d' }
  t.equal(await ask({ session_id: 'b', conversation: 'c', metadata, prompt_cache_key: 'e' }), b)
  t.equal(await ask({ conversation: { id: 'c' }, metadata, prompt_cache_key: 'e' }), c)
  t.equal(await ask({ metadata, prompt_cache_key: 'e', user: 'ada' }), d)
  t.equal(await ask({ prompt_cache_key: 'e', user: 'ada' }), e)
  t.equal(await ask({ user: 'ada' }), null, 'a user is no session')
  t.equal(await ask({ prompt_cache_key: '' }), null)
  t.equal(await ask({ prompt_cache_key: 'x'.repeat(513) }), null, 'too long')
  t.equal(await ask({ prompt_cache_key: 'e' }, { 'session-id': 'x'.repeat(513) }), e)
  t.equal(await ask({ session_id: 'b' }, { 'session-id': '' }), b)
})

t.test('of two owners, equal names are two sessions', async t => {
  const { under, session } = await stage(t)
  const body = { model: 'acme/m', input: 'hi', session_id: name }
  const mine = await session('/v1/responses', body)
  const [first, second] = [
    await under.gateway.issueKey({ name: 'first', user: 'ada' }),
    await under.gateway.issueKey({ name: 'second', user: 'ada' }),
  ]
  const theirs = await session('/v1/responses', body, { authorization: `Bearer ${first}` })
  t.match(theirs, /^ses_/)
  t.not(theirs, mine)
  t.equal(await session('/v1/responses', body, { authorization: `Bearer ${second}` }), theirs, 'of one owner, one')
})

t.test('no vendor gets the name', async t => {
  const { acme, session } = await stage(t)
  for (const [path, body] of surfaces) await session(path, { ...body, session_id: name }, { 'x-session-id': name })
  for (const [path, body] of [surfaces[0]!, surfaces[2]!, surfaces[3]!]) await session(path, { ...body, metadata: { session_id: name } })
  await session('/v1/messages', { ...surfaces[3]![1], metadata: { user_id: `user_ada_account__session_${name}` } })
  t.ok(acme.calls.length >= 5)
  t.notMatch(JSON.stringify(acme.calls.map(({ request }) => request)), name)
})

t.test('a bad name is a 400 that says so', async t => {
  const { under } = await stage(t)
  for (const [path, body] of surfaces.filter(([path]) => !path.includes('count')))
    for (const bad of [5, 'x'.repeat(513)]) {
      const reply = await under.request(path, { body: { ...body, session_id: bad } })
      t.equal(reply.status, 400, `${path} ${typeof bad}`)
      t.match(await reply.text(), /session_?id/i)
    }
})

t.test('operators choose the headers', async t => {
  const { session } = await stage(t, { settings: { sessionHeaders: ['x-run'] } })
  const body = { model: 'acme/m', input: 'hi' }
  t.match(await session('/v1/responses', body, { 'x-run': name }), /^ses_/)
  t.equal(await session('/v1/responses', body, { 'session-id': name }), null)
})

import t, { type Test } from 'tap'
import { ProviderFailure, type CatalogEntry, type GenerationEvent, type Hipaa, type PolicyField, type Zdr } from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { ask, listing, said, witness } from '../../core/stage.ts'
import { gateway, hello } from '../../gateway.ts'

interface Suite {
  readonly field: Extract<PolicyField, 'zdr' | 'hipaa'>
  readonly guardrail: PluginUse
  /** A certificate that excludes web search. */
  readonly certificate: (Zdr | Hipaa) & { readonly excludes: readonly ['web_search'] }
  /** What every refusal says. */
  readonly rule: RegExp
}

/** A gateway where `sealed` and `open` serve the same models, and only `sealed` has certificates, for the model `both` only. */
async function stage(t: Test, { field, guardrail, certificate }: Suite, answer: () => Iterable<GenerationEvent> = () => hello) {
  const sealed = witness('sealed', answer)
  const open = witness('open', () => hello)
  const entry = (model: string, certificates: object): CatalogEntry => ({
    model,
    aliases: [`${model}-alias`],
    auto: true,
    endpoints: [
      { provider: 'open', upstreamModel: model },
      { provider: 'sealed', upstreamModel: model, ...certificates },
    ],
  })
  const under = await gateway({
    plugins: [
      decisions({}),
      guardrail,
      sealed.plugin,
      open.plugin,
      listing(entry('public', {}), entry('both', { [field]: certificate }), entry('other', { [field]: certificate })),
    ],
    key: { user: 'jane', policy: { [field]: { value: true }, logging: { value: true } } },
  })
  t.teardown(under.stop)
  return { under, sealed, open }
}

const fallbacks = (...names: string[]): object => ({ routing: { model: { fallbacks: names } } })

/** What every guardrail does that lets only certified endpoints see a request. */
export function certifiedSuite(suite: Suite): void {
  const { field, rule } = suite

  t.test('only certified endpoints are asked, however the request names its model', async t => {
    const { under, sealed, open } = await stage(t, suite)
    const ways: readonly (readonly [string, object])[] = [
      ['a model', { model: 'both' }],
      ['an alias', { model: 'both-alias' }],
      ['a provider', { model: 'sealed/both' }],
      ['auto', { model: 'auto' }],
      ['a fallback', { model: 'public', ...fallbacks('both') }],
      ['auto among fallbacks', { model: 'public', ...fallbacks('auto') }],
      ['other providers', { model: 'both', routing: { provider: { fallbacks: ['open', 'sealed'] } } }],
    ]
    for (const [name, request] of ways)
      for (const stream of [false, true]) {
        const { status, response } = await ask(under, { ...request, stream })
        t.equal(status, 200, name)
        t.equal(said(response), 'Hello', name)
      }
    t.equal(sealed.calls.length, 2 * ways.length)
    t.equal(open.calls.length, 0)
  })

  t.test('a chain stays with certified endpoints', async t => {
    const { under, open } = await stage(t, suite)
    const first = await ask(under, { model: 'both' })
    const second = await ask(under, { model: 'both', input: 'again', previous_response_id: first.response.id })
    t.equal(second.status, 200)
    t.equal(open.calls.length, 0)
  })

  t.test('nothing certified is left: the 422', async t => {
    const { under, sealed, open } = await stage(t, suite)
    const search = { tools: [{ type: 'web_search' }] }
    const ways: readonly (readonly [string, object, RegExp])[] = [
      ['a model', { model: 'public' }, /no provider of "public" has/],
      ['an alias', { model: 'public-alias' }, /no provider of "public" has/],
      ['a provider', { model: 'open/both' }, /no provider of "both" has/],
      ['a model that no catalog lists', { model: 'sealed/unlisted' }, /no provider of "unlisted" has/],
      ['fallbacks', { model: 'public', ...fallbacks('open/other', 'sandbox/echo') }, /no provider of "public", "other", "echo" has/],
      ['an excluded feature', { model: 'both', ...search }, /does not cover web_search/],
      ['an excluded feature and auto', { model: 'auto', ...search }, /does not cover web_search/],
    ]
    for (const [name, request, expected] of ways)
      for (const stream of [false, true]) {
        const { status, error } = await ask(under, { ...request, stream })
        t.equal(status, 422, name)
        t.strictSame(Object.keys(error), ['type', 'message'], name)
        t.equal(error.type, 'invalid_request_error', name)
        t.match(error.message, rule, name)
        t.match(error.message, /set by the key/, name)
        t.match(error.message, expected, name)
      }
    t.equal(sealed.calls.length, 0)
    t.equal(open.calls.length, 0)
  })

  t.test('the certified endpoint fails: nobody else is asked', async t => {
    const { under, open } = await stage(t, suite, () => {
      throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'down' })
    })
    for (const stream of [false, true]) t.equal((await ask(under, { model: 'both', stream })).status, 424)
    t.equal(open.calls.length, 0)
  })

  t.test('decisions are a 422', async t => {
    const { under } = await stage(t, suite)
    const body = { model: 'sandbox/dm', state: 'x', questions: { a: { type: 'noul', instructions: 'Is it?' } } }
    t.equal((await under.request('/v1/systemone', { body })).status, 422)
  })

  t.test('the list has the models that a key can use, the detail all that it is permitted', async t => {
    const { under } = await stage(t, suite)
    const idsFor = async (key: string): Promise<string[]> => {
      const reply = await under.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
      return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    t.same(await idsFor(under.apiKey), ['both', 'other'])
    const plain = await idsFor(await under.gateway.issueKey({ name: 'plain' }))
    for (const id of ['both', 'other', 'public', 'echo', 'dm'])
      t.ok(
        plain.some(each => each.endsWith(id)),
        `${id} among ${plain.join()}`,
      )
    const redacted = await idsFor(await under.gateway.issueKey({ name: 'redacted', policy: { redaction: { value: true } } }))
    t.same(redacted, [], 'nothing enforces redaction here')
    t.equal((await under.request('/v1/models/public')).status, 200)
    t.same((await under.recorded(1))[0]!.notes, [], 'nothing was refused')
    const { providers } = (await (await under.request('/v1/models/both')).json()) as { providers: Record<string, object> }
    t.match(providers, { sealed: { [field]: suite.certificate }, open: { [field]: false } })
  })
}

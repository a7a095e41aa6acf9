import t, { type Test } from 'tap'
import {
  LogSinks,
  ProviderFailure,
  type CatalogEntry,
  type GenerationEvent,
  type LogSink,
  type PolicyField,
  type ProviderCall,
  type RequestRecord,
} from '../../../core/index.ts'
import type { Hipaa, Zdr } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { adding, ask, guarding, listing, said, witness } from '../../kit/stage.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'
import { engine } from '../../kit/search-stage.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'

interface Suite {
  readonly field: Extract<PolicyField, 'zdr' | 'hipaa'>
  readonly guardrail: PluginUse
  /** A certificate that excludes web search. */
  readonly certificate: (Zdr | Hipaa) & { readonly excludes: readonly ['web_search'] }
  /** Matches the message of every refusal. */
  readonly rule: RegExp
}

/** A gateway where `sealed` and `open` serve the same models, and only `sealed` has certificates, for the model `both` only. */
async function stage(
  t: Test,
  { field, guardrail, certificate }: Suite,
  answer: (call: ProviderCall, count: number) => Iterable<GenerationEvent> = () => hello,
  plugins: readonly PluginUse[] = [],
) {
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
      ...plugins,
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

/** Tests a guardrail that lets only certified endpoints see a request. */
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
      ['a provider', { model: 'open/both' }, /no endpoint that this request names has .* Instead, name "sealed\/both", or/],
      ['a model that no catalog lists', { model: 'sealed/unlisted' }, /no provider of "unlisted" has/],
      ['fallbacks', { model: 'public', ...fallbacks('open/other', 'sandbox/echo') }, /no endpoint that .* name "sealed\/other", or/],
      ['other fallbacks', { model: 'public', ...fallbacks('sandbox/echo') }, /no provider of "public", "echo" has/],
      ['a provider and an excluded feature', { model: 'open/both', ...search }, /"sealed\/both" has, but it does not cover web_search/],
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

  t.test('a certified endpoint that cannot serve the request: the 422 says why', async t => {
    const { field, guardrail, certificate } = suite
    const limits = { capabilities: { tools: false, images: false, files: false }, contextWindow: 2_000, tokenizer: 'o200k_base' } as const
    const covering = { [field]: { ...certificate, excludes: [] } }
    const open = witness('open', () => hello)
    const plain = witness('plain', () => hello)
    const sealed = witness('sealed', () => hello)
    const under = await gateway({
      plugins: [
        guardrail,
        open.plugin,
        plain.plugin,
        sealed.plugin,
        listing(
          { model: 'm', endpoints: [{ provider: 'open' }, { provider: 'sealed', ...limits, ...covering }] },
          {
            model: 'n',
            endpoints: [{ provider: 'open' }, { provider: 'plain', ...covering }, { provider: 'sealed', ...limits, ...covering }],
          },
          {
            model: 'o',
            endpoints: [
              { provider: 'open', capabilities: { structuredOutput: 'json_schema' } },
              { provider: 'sealed', capabilities: { structuredOutput: 'none' }, ...covering },
            ],
          },
        ),
      ],
      key: { policy: { [field]: { value: true } } },
    })
    t.teardown(under.stop)
    const part = (content: object): object => ({ input: [{ role: 'user', content: [content] }] })
    const tools = { tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }] }
    const images = part({ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' })
    const files = part({ type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' })
    const long = { input: 'word '.repeat(6_000) }
    const schema = { text: { format: { type: 'json_object' } } }
    const ways: readonly (readonly [object, RegExp])[] = [
      [{ model: 'open/m', ...tools }, /"sealed\/m" has, but it cannot serve the tools of this request\. Leave them out and name it/],
      [{ model: 'm', ...tools }, /no endpoint that can serve this request has .*\. "sealed\/m" has, but it cannot serve the tools/],
      [{ model: 'open/m', ...images }, /"sealed\/m" has, but it takes no images/],
      [{ model: 'm', ...images }, /"sealed\/m" has, but it takes no images/],
      [{ model: 'open/m', ...files }, /"sealed\/m" has, but it takes no files/],
      [{ model: 'open/m', ...long }, /"sealed\/m" has, but the input is too long for its context window\. Shorten the input and name it/],
      [{ model: 'open/n', ...tools }, /Instead, name "plain\/n", or/],
      [{ model: 'open/n', ...long }, /Instead, name "plain\/n", or/],
      [{ model: 'open/n' }, /Instead, name "plain\/n", "sealed\/n", or/],
      [{ model: 'o', ...schema }, /"sealed\/o" has, but another endpoint supports more of this request\. Name it/],
    ]
    for (const [request, expected] of ways)
      for (const stream of [false, true]) {
        const { status, error, requestId } = await ask(under, { ...request, stream })
        t.equal(status, 422)
        t.match(error.message, expected)
        const { routing, notes } = await under.record(requestId)
        t.ok(routing!.passedOver.policy)
        t.equal(notes.length, 1)
      }
    t.equal((await ask(under, { model: 'sealed/o', ...schema })).status === 422, false)
    t.equal(open.calls.length, 0)
  })

  t.test('a model without any certificate, asked with a tool whose engines have none either', async t => {
    const found = engine('found')
    const { under, sealed } = await stage(t, suite, () => hello, [webSearch({}), found.plugin])
    const search = { tools: [{ type: 'web_search' }] }
    t.match((await ask(under, { model: 'public', ...search })).error.message, /no provider of "public" has/)
    t.match((await ask(under, { model: 'open/both', ...search })).error.message, /"sealed\/both" has, but it does not cover web_search/)
    t.equal(sealed.calls.length, 0)
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

  const declared = { zdr: false, hipaa: false, [field]: suite.certificate } as const
  const undeclared = { zdr: { policy_url: 'https://example.com/' }, hipaa: { baa_url: 'https://example.com/' }, [field]: false } as const

  t.test('guardrails elsewhere see a request only under the agreement', async t => {
    for (const [seesContent, reached] of [
      [declared, true],
      [undeclared, false],
    ] as const)
      for (const stream of [false, true]) {
        const seen: string[] = []
        const see = (what: string) => () => {
          seen.push(what)
          return { pass: true } as const
        }
        const guard = guarding({ input: see('input'), item: see('item') }, { seesContent })
        const { under, sealed } = await stage(t, suite, () => hello, [guard])
        t.equal((await ask(under, { model: 'both', stream })).status, reached ? 200 : 422)
        t.same(seen, reached ? ['input', 'item'] : [])
        t.equal(sealed.calls.length, reached ? 1 : 0)
        const list = (await (await under.request('/v1/models')).json()) as { data: unknown[] }
        t.equal(list.data.length, reached ? 3 : 0, 'the list says the same: two models, and auto')
      }
  })

  t.test('tools of the gateway run only under the agreement', async t => {
    const call = [...calling('lookup', { word: 'x' }), toCall]
    for (const [seesContent, reached] of [
      ['local', true],
      [declared, true],
      [undeclared, false],
    ] as const)
      for (const stream of [false, true]) {
        const tool = lookup(undefined, { seesContent })
        const { under, sealed, open } = await stage(t, suite, (_, count) => (count === 1 ? call : hello), [tool.plugin])
        const answer = await ask(under, { model: 'both', tools: [{ type: 'lookup' }], stream })
        t.equal(answer.status, reached ? 200 : 422)
        t.equal(tool.ran.length, reached ? 1 : 0)
        t.equal(sealed.calls.length, reached ? 2 : 0)
        t.equal(open.calls.length, 0)
      }
  })

  t.test('log sinks elsewhere get content only under the agreement', async t => {
    for (const [seesContent, reached] of [
      ['local', true],
      [declared, true],
      [undeclared, false],
      [undefined, false],
    ] as const) {
      const got: RequestRecord[] = []
      const sink = adding<LogSink>(LogSinks, {
        name: 'elsewhere',
        accepts: 'content',
        ...(seesContent && { seesContent }),
        write: async batch => void got.push(...batch),
      })
      const { under } = await stage(t, suite, () => hello, [sink])
      await ask(under, { model: 'both' })
      await ask(under, { model: 'public' })
      await under.stop()
      t.equal(got.length, 2, 'it gets the metadata all the same')
      t.equal(got[0]!.request !== null && got[0]!.response !== null, reached)
      t.equal(got[1]!.response, null)
    }
  })

  t.test('a caller who sends members that the gateway does not know', async t => {
    const { under, sealed } = await stage(t, suite)
    t.equal((await ask(under, { model: 'both', keep_forever: true })).status, 200)
    t.equal(sealed.calls[0]!.request.extra, undefined)
  })

  t.test('the list has the models that a key can use, the detail all that it is permitted', async t => {
    const { under } = await stage(t, suite)
    const idsFor = async (key: string): Promise<string[]> => {
      const reply = await under.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
      return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    }
    t.same(await idsFor(under.apiKey), ['auto', 'both', 'other'])
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

import {
  CallObservers,
  CallWrappers,
  CatalogSources,
  DecisionClients,
  Guardrails,
  PolicySources,
  Providers,
  Routes,
  SortStrategies,
  Tools,
  type Registry,
  type Route,
} from '../../../core/index.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import type { TestGateway } from '../../../core/testing/index.ts'
import { listing } from '../../kit/stage.ts'
import { acme, adds, run, type Mistake } from './stage.ts'

const ask =
  (body: object = {}) =>
  (gateway: TestGateway): Promise<Response> =>
    gateway.request('/v1/responses', { body: { model: 'one/m', input: 'Hi', ...body } })
const get =
  (path: string) =>
  (gateway: TestGateway): Promise<Response> =>
    gateway.request(path)

const price = { input: 1, output: 1 }
const two = (): PluginUse =>
  listing({
    model: 'both',
    endpoints: [
      { provider: 'one', price },
      { provider: 'two', price },
    ],
  })
const sorted = ask({ model: 'both', routing: { provider: { sort: 'value' } } })
const sorting =
  (values: unknown, more: object = {}) =>
  (): readonly PluginUse[] => [
    two(),
    ...adds(SortStrategies, { name: 'value', description: 'Value, most first.', first: 'highest', values, ...more })(),
  ]
const saying = (event: unknown) => ({
  id: 'acme',
  async *generate() {
    yield event
  },
})
const local = { seesContent: 'local', timeoutMs: 1_000 }

/** A model that is asked by a route of the plugin. */
const asking =
  (add: (gateway: { add(point: unknown, given: unknown): void }) => void, kind: 'decision' | 'embedding', handle: unknown) =>
  (): readonly PluginUse[] => [
    acme(gateway => {
      add(gateway as never)
      gateway.add(CatalogSources, {
        name: 'acme',
        entries: () => [{ model: 'm', endpoints: [{ kind, provider: 'acme', price }] }],
      } as never)
      gateway.add(Routes as never as Registry<Route> as never, { method: 'GET', path: '/ask', auth: 'key', handle } as never)
    }),
  ]

/** Those that only requests show. The log has the sentence, with the plugin. */
export const whileRunning: readonly Mistake[] = [
  {
    kind: 'local-provider',
    mistake: '`generate` returns the answer',
    plugins: adds(Providers, { id: 'acme', generate: async () => 'Hello' }),
    ask: ask({ model: 'acme/m' }),
    sentence:
      'plugin acme returned from generate of provider "acme" what is no async iterable: expected one, such as an async generator, got a promise (write `async *generate`)',
  },
  {
    kind: 'local-provider',
    mistake: 'an event of an unknown type',
    plugins: adds(Providers, saying({ type: 'delta', text: 'Hello' })),
    ask: ask({ model: 'acme/m' }),
    sentence:
      'plugin acme yielded an event with a bad `type`: expected one of GenerationEvent, such as text, usage or finish, got another string ("delta")',
  },
  {
    kind: 'retrieval',
    mistake: '`embed` returns the vectors alone',
    plugins: asking(
      gateway => gateway.add(Providers, { id: 'acme', generate: run, embeddings: { embed: () => [[1, 2]] } }),
      'embedding',
      async (exchange: unknown, services: { embed(exchange: unknown, request: object): Promise<unknown> }) => {
        await services.embed(exchange, { model: 'acme/m', input: ['Hello'] })
      },
    ),
    ask: get('/ask'),
    sentence: 'The provider "acme" sent a reply without vectors.',
  },
  {
    kind: 'catalog',
    mistake: 'a price as text',
    plugins: adds(CatalogSources, {
      name: 'acme',
      entries: () => [{ model: 'm', endpoints: [{ provider: 'one', price: { input: '1', output: '1' } }] }],
    }),
    sentence:
      'plugin acme returns bad entries from its catalog source "acme": "m" at "one" has an endpoint with a bad `price.input`: expected US dollars from 0, got "1"',
  },
  {
    kind: 'guardrail',
    mistake: '`input` returns true',
    plugins: adds(Guardrails, { ...local, name: 'acme', enforces: [], onFailure: 'refuse', open: () => ({ input: () => true }) }),
    ask: ask(),
    sentence:
      'plugin acme returned a boolean from input: expected { pass: true }, { replace: <the whole request> } or { refuse: <a GatewayError> }',
  },
  {
    kind: 'policy-source',
    mistake: 'a field that no policy has',
    plugins: adds(PolicySources, { level: 'org', policy: () => ({ redact: { value: true, enforced: true } }) }),
    ask: ask(),
    sentence: 'plugin acme returned a policy of the org that has the unknown field "redact": expected zdr, logging, hipaa, redaction',
  },
  {
    kind: 'policy-source',
    mistake: 'a setting without its object',
    plugins: adds(PolicySources, { level: 'org', policy: () => ({ redaction: true }) }),
    ask: ask(),
    sentence:
      'plugin acme returned a policy of the org that has a malformed field "redaction": expected { value: true or false, enforced?: true or false, settings?: an object of JSON }',
  },
  {
    kind: 'call-wrapper',
    mistake: 'an answer as text',
    plugins: adds(CallWrappers, { ...local, name: 'acme', keepsContent: false, generation: () => ({ answer: 'Hello' }) }),
    ask: ask(),
    sentence: 'plugin acme gave a string as an answer: expected an array or an async iterable of events',
  },
  {
    kind: 'call-observer',
    mistake: '`begin` is async',
    plugins: adds(CallObservers, { name: 'acme', begin: async () => ({ end: run }) }),
    ask: ask(),
    sentence: 'plugin acme returned a promise from begin of a call observer: expected no promise',
  },
  {
    kind: 'route',
    mistake: '`handle` returns text',
    plugins: adds(Routes, { method: 'GET', path: '/v1/acme', auth: 'key', handle: () => 'Hello' }),
    ask: get('/v1/acme'),
    sentence:
      'plugin acme returned a reply for GET /v1/acme that cannot be sent: expected an object with a status, got a value of type string',
  },
  {
    kind: 'route',
    mistake: 'an object as the body',
    plugins: adds(Routes, { method: 'GET', path: '/v1/acme', auth: 'key', handle: () => ({ status: 200, body: { hello: true } }) }),
    ask: get('/v1/acme'),
    sentence:
      'plugin acme returned a reply for GET /v1/acme that cannot be sent: expected the body to be a string or the stream that exchange.stream() returned, got a value of type object',
  },
  {
    kind: 'sort',
    mistake: 'a value for the first endpoint only',
    plugins: sorting(() => [1]),
    ask: sorted,
    sentence: 'plugin acme returned bad values: expected an array of 2, each a number or undefined, got an array of 1',
  },
  {
    kind: 'sort',
    mistake: '`values` returns endpoints, sorted',
    plugins: sorting((endpoints: readonly unknown[]) => endpoints.toReversed()),
    ask: sorted,
    sentence: 'plugin acme returned bad values: expected an array of 2, each a number or undefined, got an object at index 0',
  },
  {
    kind: 'sort',
    mistake: '`values` returns endpoints that it was not given',
    plugins: sorting(() => ['three/m', 'four/m']),
    ask: sorted,
    sentence: 'plugin acme returned bad values: expected an array of 2, each a number or undefined, got a string at index 0',
  },
  {
    kind: 'sort',
    mistake: '`values` is async',
    plugins: sorting(async () => [1, 2]),
    ask: sorted,
    sentence:
      'plugin acme returned bad values: expected an array of 2, each a number or undefined, got a promise. Return the array at once',
  },
  {
    kind: 'sort',
    mistake: '`readsCost` misspelled',
    plugins: sorting(() => [1, 2], { readCost: true }),
    sentence: 'plugin acme adds sort "value" with the unknown member `readCost`: rename it if `readsCost` was meant',
  },
  {
    kind: 'sort',
    mistake: 'two default sorts',
    plugins: () => [
      acme(gateway => {
        for (const name of ['value', 'worth'])
          gateway.add(SortStrategies, { name, description: 'Value, most first.', first: 'highest', isDefault: true, values: () => [] })
      }),
    ],
    sentence:
      '"value" of plugin acme and "worth" of plugin acme are both the default sort. Load one of them, or set isDefault in one only.',
  },
  {
    kind: 'tool',
    mistake: 'a `schema` that is no JSON Schema',
    plugins: adds(Tools, { ...local, type: 'acme', schema: { type: 'text' }, open: run }),
    sentence:
      'plugin acme adds tool "acme" with a bad `schema`: expected a JSON Schema, but schema/type must be equal to one of the allowed values, schema/type must be array, schema/type must match a schema in anyOf',
  },
  {
    kind: 'tool',
    mistake: '`functions` is an array',
    plugins: adds(Tools, { ...local, type: 'acme', schema: {}, open: () => ({ functions: [], run }) }),
    ask: ask({ tools: [{ type: 'acme' }] }),
    sentence: 'plugin acme opens tool "acme" with a bad `functions`: expected a function, got []',
  },
  {
    kind: 'decision-client',
    mistake: 'answers without `answers`',
    plugins: asking(
      gateway => gateway.add(DecisionClients, { provider: 'acme', resolve: () => 'm-1', decide: () => ({ yes: true }) }),
      'decision',
      async (exchange: unknown, services: { decide(exchange: unknown, request: object): Promise<unknown> }) => {
        await services.decide(exchange, { model: 'acme/m', state: 'Hello', questions: { yes: { type: 'noul' } } })
      },
    ),
    ask: get('/ask'),
    sentence: 'The provider "acme" sent a reply without answers.',
  },
]

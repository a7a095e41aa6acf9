import { AdminAuthenticators, AdminRoutes, AlertChannels, DashboardPages } from '../../../core/admin.ts'
import {
  CallObservers,
  CallWrappers,
  CatalogSources,
  DecisionClients,
  Guardrails,
  LogSinks,
  PolicySources,
  Providers,
  Routes,
  SearchEngines,
  SortStrategies,
  Tools,
} from '../../../core/index.ts'
import { Connections, GatewayServices, httpProvider } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { chatProvider } from '../../../dialects/index.ts'
import { acme, adds, run, type Mistake } from './stage.ts'

const adapter = { framing: 'sse', prepare: run, decoder: run, reply: run, failure: run }
const chat = chatProvider as unknown as (table: object) => (options: object) => PluginUse
const http = httpProvider as unknown as (id: string, adapter: object, client: unknown) => never

/** Those in what a plugin adds to an extension point. */
export const contributions: readonly Mistake[] = [
  {
    kind: 'dialect',
    mistake: 'a member of the table misspelled',
    plugins: () => [chat({ name: 'acme', id: 'acme', baseUrl: 'https://api.example.com', authorise: 'x-acme-key' })({ apiKey: 'demo' })],
    sentence: 'plugin acme(acme) has a table with a mistake: unknown member authorise (docs/dialects.md lists those that there are)',
  },
  {
    kind: 'provider',
    mistake: 'the adapter is added itself',
    plugins: adds(Providers, adapter),
    sentence:
      'plugin acme adds a provider with a bad `id`: expected a non-empty string without slashes or white space, got undefined. It has `framing`, which the contract does not know. It is an adapter: write gateway.add(Providers, httpProvider(id, adapter, gateway.http))',
  },
  {
    kind: 'provider',
    mistake: 'an adapter without `prepare`',
    plugins: () => [acme(gateway => gateway.add(Providers, http('acme', { ...adapter, prepare: undefined }, gateway.http)))],
    sentence: 'plugin acme failed to set up: httpProvider got an adapter with a bad `prepare`: expected a function, got undefined',
  },
  {
    kind: 'local-provider',
    mistake: 'added to `CatalogSources`',
    plugins: adds(CatalogSources, { id: 'acme', generate: run }),
    sentence:
      'plugin acme adds catalog source "acme" with a bad `name`: expected a non-empty string, got undefined. It has `id`, which the contract does not know. Providers takes it: write gateway.add(Providers, …)',
  },
  {
    kind: 'retrieval',
    mistake: '`embed` misspelled',
    plugins: adds(Providers, { id: 'acme', generate: run, embeddings: { embeds: run } }),
    sentence:
      'plugin acme adds provider "acme" with `embeddings` with a bad `embed`: expected a function, got undefined. Rename `embeds` if that was meant',
  },
  {
    kind: 'catalog',
    mistake: '`entries` is an array',
    plugins: adds(CatalogSources, { name: 'acme', entries: [] }),
    sentence: 'plugin acme adds catalog source "acme" with a bad `entries`: expected a function, got []',
  },
  {
    kind: 'guardrail',
    mistake: 'without `onFailure`',
    plugins: adds(Guardrails, { name: 'acme', enforces: ['redaction'], timeoutMs: 100, seesContent: 'local', open: run }),
    sentence: 'plugin acme adds guardrail "acme" with a bad `onFailure`: expected "refuse" or "allow", got undefined',
  },
  {
    kind: 'guardrail',
    mistake: '`enforces` has a field that no policy has',
    plugins: adds(Guardrails, {
      name: 'acme',
      enforces: ['redact'],
      onFailure: 'refuse',
      timeoutMs: 100,
      seesContent: 'local',
      open: run,
    }),
    sentence:
      'plugin acme adds guardrail "acme" with a bad `enforces`: expected an array of policy fields (zdr, logging, hipaa, redaction), got ["redact"]',
  },
  {
    kind: 'policy-source',
    mistake: 'an unknown `level`',
    plugins: adds(PolicySources, { level: 'organisation', policy: run }),
    sentence: 'plugin acme adds a policy source with a bad `level`: expected "org", "team" or "user", got "organisation"',
  },
  {
    kind: 'log-sink',
    mistake: '`write` misspelled',
    plugins: adds(LogSinks, { name: 'acme', accepts: 'metadata', writes: run }),
    sentence: 'plugin acme adds log sink "acme" with a bad `write`: expected a function, got undefined. Rename `writes` if that was meant',
  },
  {
    kind: 'call-wrapper',
    mistake: 'a function that no wrapper has',
    plugins: adds(CallWrappers, { name: 'acme', seesContent: 'local', keepsContent: false, timeoutMs: 100, generate: run }),
    sentence:
      'plugin acme adds call wrapper "acme" without a function: expected at least one of generation, decision, count, embedding, rerank, got an object with name, seesContent, keepsContent, timeoutMs, generate',
  },
  {
    kind: 'call-observer',
    mistake: 'without `begin`',
    plugins: adds(CallObservers, { name: 'acme', attempt: run }),
    sentence:
      'plugin acme adds call observer "acme" with a bad `begin`: expected a function, got undefined. It has `attempt`, which the contract does not know',
  },
  {
    kind: 'metrics',
    mistake: 'the name of the service as text',
    plugins: () => [acme(run, { needs: { vitals: 'Vitals' } })],
    sentence: 'plugin acme has a bad `needs`: expected a service as "vitals", got a string. Import one: import { Clock } from \'turnpike\'',
  },
  {
    kind: 'alert-channel',
    mistake: '`send` in the place of `deliver`',
    plugins: adds(AlertChannels, { name: 'acme', send: run }),
    sentence:
      'plugin acme adds alert channel "acme" with a bad `deliver`: expected a function, got undefined. It has `send`, which the contract does not know',
  },
  {
    kind: 'route',
    mistake: 'a path without its slash',
    plugins: adds(Routes, { method: 'GET', path: 'v1/acme', auth: 'key', handle: run }),
    sentence: 'plugin acme adds a route with a bad `path`: expected a path that starts with "/", got "v1/acme"',
  },
  {
    kind: 'route',
    mistake: 'a route that another plugin has',
    plugins: () => [
      acme(gateway => gateway.add(Routes, { method: 'GET', path: '/v1/acme', auth: 'key', handle: run as never }), { name: 'globex' }),
      acme(gateway => gateway.add(Routes, { method: 'GET', path: '/v1/acme', auth: 'key', handle: run as never })),
    ],
    sentence:
      'plugin acme adds route "GET /v1/acme", which plugin globex already added. Rename one of them, or leave out one of the plugins',
  },
  {
    kind: 'surface',
    mistake: 'opens a scope in `setup`',
    plugins: () => [
      acme((_gateway, _options, { gateway }) => gateway.openScope({ authorization: '', method: 'QUEUE', path: 'acme' }), {
        needs: { gateway: GatewayServices },
      }),
    ],
    sentence: 'plugin acme failed to set up: the gateway is not assembled yet: use GatewayServices from `onStart`, not in `setup`',
  },
  {
    kind: 'connection',
    mistake: 'a path with a slash at its end',
    plugins: adds(Connections, { protocol: 'websocket', path: '/v1/acme/', open: run }),
    sentence:
      'plugin acme adds a connection protocol with a bad `path`: expected a path that starts with "/", without parameters and without "/" at its end, got "/v1/acme/"',
  },
  {
    kind: 'dashboard-page',
    mistake: 'a path as its `id`',
    plugins: adds(DashboardPages, { id: '/acme', title: 'Acme', module: new URL(import.meta.url) }),
    sentence: 'plugin acme adds dashboard page "/acme" with a bad `id`: expected a word in kebab-case, got "/acme"',
  },
  {
    kind: 'dashboard-page',
    mistake: 'a path as its `module`',
    plugins: adds(DashboardPages, { id: 'acme', title: 'Acme', module: './page.js' }),
    sentence:
      'plugin acme adds dashboard page "acme" with a bad `module`: expected the URL of a file, such as new URL(\'page.js\', import.meta.url), got "./page.js"',
  },
  {
    kind: 'dashboard-page',
    mistake: 'its file is not there',
    plugins: adds(DashboardPages, { id: 'acme', title: 'Acme', module: new URL('file:///nowhere/page.js') }),
    sentence: 'plugin acme adds dashboard page "acme" with `module`: there is no file /nowhere/page.js',
  },
  {
    kind: 'admin-route',
    mistake: 'added to `Routes`',
    plugins: adds(Routes, { method: 'GET', path: '/admin/v1/acme', role: 'viewer', reach: 'org', handle: run }),
    sentence:
      'plugin acme adds a route with a bad `auth`: expected "key" or "none", got undefined. AdminRoutes takes it: write gateway.add(AdminRoutes, …)',
  },
  {
    kind: 'admin-route',
    mistake: 'an unknown role',
    plugins: adds(AdminRoutes, { method: 'GET', path: '/admin/v1/acme', role: 'admin', reach: 'org', handle: run }),
    sentence: 'plugin acme adds an admin route with a bad `role`: expected "owner", "editor", "viewer" or "none", got "admin"',
  },
  {
    kind: 'admin-authenticator',
    mistake: '`authenticate` in the place of `admit`',
    plugins: adds(AdminAuthenticators, { name: 'acme', authenticate: run }),
    sentence:
      'plugin acme adds admin authenticator "acme" with a bad `admit`: expected a function, got undefined. It has `authenticate`, which the contract does not know',
  },
  {
    kind: 'sort',
    mistake: 'an unknown direction',
    plugins: adds(SortStrategies, { name: 'value', description: 'Value, most first.', first: 'descending', values: run }),
    sentence: 'plugin acme adds sort "value" with a bad `first`: expected "lowest" or "highest", got "descending"',
  },
  {
    kind: 'sort',
    mistake: 'two sorts with one name',
    plugins: () => {
      const sort = { name: 'value', description: 'Value, most first.', first: 'highest', values: () => [] } as const
      return [acme(gateway => gateway.add(SortStrategies, sort), { name: 'globex' }), acme(gateway => gateway.add(SortStrategies, sort))]
    },
    sentence: 'plugin acme adds sort "value", which plugin globex already added. Rename one of them, or leave out one of the plugins',
  },
  {
    kind: 'tool',
    mistake: 'a type that belongs to callers',
    plugins: adds(Tools, { type: 'function', schema: {}, seesContent: 'local', timeoutMs: 100, open: run }),
    sentence:
      'plugin acme adds tool "function" with a bad `type`: expected a type of tool that is not "function", "custom" or "namespace", which are the caller\'s own, got "function"',
  },
  {
    kind: 'tool',
    mistake: '`run` beside `open`, not in what it returns',
    plugins: adds(Tools, { type: 'acme', schema: {}, seesContent: 'local', timeoutMs: 100, run }),
    sentence:
      'plugin acme adds tool "acme" with a bad `open`: expected a function, got undefined. It has `run`, which the contract does not know',
  },
  {
    kind: 'search-engine',
    mistake: 'added to `Tools`',
    plugins: adds(Tools, { name: 'acme', seesContent: 'local', search: run }),
    sentence:
      'plugin acme adds tool "acme" with a bad `type`: expected a type of tool that is not "function", "custom" or "namespace", which are the caller\'s own, got undefined. It has `name`, which the contract does not know. SearchEngines takes it: write gateway.add(SearchEngines, …)',
  },
  {
    kind: 'search-engine',
    mistake: 'without `seesContent`',
    plugins: adds(SearchEngines, { name: 'acme', search: run }),
    sentence:
      'plugin acme adds search engine "acme" with a bad `seesContent`: expected "local" or { zdr, hipaa }, each an object or false, got undefined',
  },
  {
    kind: 'decision-client',
    mistake: '`id` in the place of `provider`',
    plugins: adds(DecisionClients, { id: 'acme', resolve: run, decide: run }),
    sentence:
      'plugin acme adds decision client "acme" with a bad `provider`: expected a non-empty string without slashes or white space, got undefined. It has `id`, which the contract does not know',
  },
]

/** A kind of plugin that `turnpike plugin new` makes, from an example that the package ships. */
export interface PluginKind {
  readonly name: string
  /** Other words for it. */
  readonly aliases?: readonly string[]
  /** Completes "A plugin for Turnpike that …". */
  readonly does: string
  /** The source, below `examples/`. Its test has the same name, in the folder `test` beside it. */
  readonly example: string
  /** More files beside the source that it needs. */
  readonly files?: readonly string[]
  /** Its options in a config, as they are written there. */
  readonly options: string
  /** The vendor in the example, such as `acme`, if that gets the name of the plugin. */
  readonly vendor?: string
  /** The id of the page in the example, which gets the name of the plugin. */
  readonly page?: string
  /** The last part of its keyword, if that is not the name of the kind: docs/versions.md lists them. */
  readonly keyword?: string
}

/** In the order of the table in docs/plugins.md. */
export const pluginKinds: readonly PluginKind[] = [
  {
    name: 'dialect',
    does: 'adds the models of a vendor whose API is a dialect of Chat Completions',
    example: 'custom-dialect/globex.ts',
    options: "{ apiKey: 'sk-demo' }",
    vendor: 'globex',
    keyword: 'provider',
  },
  {
    name: 'provider',
    does: 'adds the models of a vendor with an API of its own',
    example: 'custom-provider/acme.ts',
    options: "{ apiKey: 'sk-demo' }",
    vendor: 'acme',
  },
  {
    name: 'local-provider',
    does: 'adds a model that runs in the process',
    example: 'more-plugins/local-provider.ts',
    options: '{}',
    keyword: 'provider',
  },
  {
    name: 'retrieval',
    aliases: ['embeddings', 'rerank'],
    does: 'adds a model that makes vectors',
    example: 'more-plugins/retrieval.ts',
    options: '{}',
    keyword: 'provider',
  },
  {
    name: 'catalog',
    does: 'says which models there are, and what they cost',
    example: 'more-plugins/catalog.ts',
    options: "{ provider: 'sandbox' }",
  },
  {
    name: 'guardrail',
    does: 'refuses requests that mention a forbidden word',
    example: 'small-plugins/guardrail.ts',
    options: "{ words: ['launch code'] }",
  },
  {
    name: 'policy-source',
    aliases: ['policy'],
    does: 'turns request logging off for some organizations',
    example: 'small-plugins/policy-source.ts',
    options: "{ unlogged: ['example'] }",
    keyword: 'policy',
  },
  {
    name: 'log-sink',
    aliases: ['sink'],
    does: 'appends what each request cost to a file',
    example: 'small-plugins/log-sink.ts',
    options: "{ file: './data/costs.jsonl' }",
  },
  {
    name: 'call-wrapper',
    aliases: ['around', 'cache'],
    does: 'answers repeated requests from memory',
    example: 'small-plugins/cache.ts',
    options: '{}',
    keyword: 'observer',
  },
  {
    name: 'call-observer',
    aliases: ['observe', 'observer', 'tracer'],
    does: 'prints when calls, attempts and rounds of tools end',
    example: 'small-plugins/tracer.ts',
    options: '{}',
    keyword: 'observer',
  },
  {
    name: 'metrics',
    aliases: ['vitals'],
    does: 'serves how the process is doing',
    example: 'more-plugins/metrics.ts',
    options: '{}',
    keyword: 'observer',
  },
  {
    name: 'alert-channel',
    aliases: ['alerts', 'alert'],
    does: 'delivers alerts',
    example: 'small-plugins/alert-channel.ts',
    options: '{}',
    keyword: 'alerts',
  },
  {
    name: 'route',
    aliases: ['endpoint'],
    does: 'adds an endpoint to the public API',
    example: 'small-plugins/route.ts',
    options: '{}',
    keyword: 'surface',
  },
  {
    name: 'surface',
    aliases: ['queue'],
    does: 'answers requests that come as files in a folder',
    example: 'more-plugins/surface.ts',
    options: "{ folder: './data/inbox' }",
  },
  {
    name: 'connection',
    does: 'serves a protocol that keeps its connection',
    example: 'more-plugins/connection.ts',
    options: '{}',
    keyword: 'surface',
  },
  {
    name: 'dashboard-page',
    aliases: ['page'],
    does: 'adds a page to the dashboard',
    example: 'dashboard-page/cache-use.ts',
    page: 'cache-use',
    files: ['page.js'],
    options: '{}',
    keyword: 'page',
  },
  {
    name: 'admin-route',
    does: 'adds a route to the admin API',
    example: 'more-plugins/admin-route.ts',
    options: '{}',
    keyword: 'page',
  },
  {
    name: 'admin-authenticator',
    aliases: ['authenticator', 'sign-in'],
    does: 'lets people in whom a proxy has signed in',
    example: 'more-plugins/admin-authenticator.ts',
    options: "{ secret: 'a-long-secret-of-the-proxy', admins: ['jane@example.com'] }",
    keyword: 'page',
  },
  {
    name: 'sort',
    does: 'orders endpoints by their tokens per second and dollar',
    example: 'custom-sort/value.ts',
    options: '{}',
  },
  {
    name: 'tool',
    does: 'gives models a tool that the gateway runs',
    example: 'custom-tool/weather.ts',
    options: "{ baseUrl: 'https://weather.example.com' }",
  },
  {
    name: 'search-engine',
    aliases: ['engine'],
    does: 'searches the web for the tool web_search',
    example: 'small-plugins/search-engine.ts',
    options: "{ apiKey: 'demo-key' }",
    keyword: 'engine',
    vendor: 'acme',
  },
  {
    name: 'decision-client',
    aliases: ['decision', 'decisions'],
    does: 'answers decisions',
    example: 'more-plugins/decision-client.ts',
    options: '{}',
    keyword: 'decisions',
  },
  {
    name: 'store',
    does: 'keeps the audit trail in a file',
    example: 'small-plugins/audit-trail.ts',
    options: "{ file: './data/audit.jsonl' }",
  },
  {
    name: 'compactor',
    does: 'compacts long conversations',
    example: 'more-plugins/compactor.ts',
    options: '{}',
  },
  {
    name: 'shared-state',
    does: 'links gateways of one machine',
    example: 'more-plugins/shared-state.ts',
    options: '{}',
    keyword: 'store',
  },
  {
    name: 'sealer',
    does: 'encrypts what the gateway stores',
    example: 'more-plugins/sealer.ts',
    options: "{ masterKey: 'a-long-secret-of-at-least-32-characters' }",
    keyword: 'store',
  },
]

/** The kind with this name, or with an alias of it. */
export function pluginKind(name: string): PluginKind | undefined {
  return pluginKinds.find(kind => kind.name === name || kind.aliases?.includes(name))
}

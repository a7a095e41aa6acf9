import { connect } from 'node:net'
import type { AbsentProvider, PluginUse } from '../core/index.ts'
import { isPending, nearest } from '../core/kit.ts'
import type { AlertFormat } from '../core/stores.ts'
import alertWebhook from '../plugins/alerts/webhook/index.ts'
import bundledCatalog from '../plugins/catalogs/bundled/index.ts'
import admin from '../plugins/endpoints/admin/index.ts'
import summary from '../plugins/compactors/summary/index.ts'
import chat from '../plugins/endpoints/chat/index.ts'
import dashboard from '../plugins/endpoints/dashboard/index.ts'
import conversations from '../plugins/endpoints/conversations/index.ts'
import decisions from '../plugins/endpoints/decisions/index.ts'
import embeddings from '../plugins/endpoints/embeddings/index.ts'
import health from '../plugins/endpoints/health/index.ts'
import key from '../plugins/endpoints/key/index.ts'
import geminiApi from '../plugins/endpoints/gemini/index.ts'
import messages from '../plugins/endpoints/messages/index.ts'
import models from '../plugins/endpoints/models/index.ts'
import openapi from '../plugins/endpoints/openapi/index.ts'
import rerank from '../plugins/endpoints/rerank/index.ts'
import responses from '../plugins/endpoints/responses/index.ts'
import responsesWebSocket from '../plugins/endpoints/responses-websocket/index.ts'
import hipaa from '../plugins/guardrails/hipaa/index.ts'
import redaction from '../plugins/guardrails/redaction/index.ts'
import zdr from '../plugins/guardrails/zdr/index.ts'
import consoleLog from '../plugins/logs/console/index.ts'
import accountPolicies from '../plugins/policies/accounts/index.ts'
import { defaultBaseUrl } from '../plugins/providers/ollama/base-url.ts'
import { hosts, type Host, type HostName } from '../plugins/providers/openai-chat/hosts.ts'
import sandbox from '../plugins/providers/sandbox/index.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import costSort from '../plugins/sorts/cost/index.ts'
import latencySort from '../plugins/sorts/latency/index.ts'
import performanceSort from '../plugins/sorts/performance/index.ts'
import throughputSort from '../plugins/sorts/throughput/index.ts'
import totalsSort from '../plugins/sorts/totals/index.ts'
import uptimeSort from '../plugins/sorts/uptime/index.ts'
import webSearch from '../plugins/tools/web-search/index.ts'
import memory from '../plugins/stores/memory/index.ts'
import sql from '../plugins/stores/sql/index.ts'
import absentProviders, { absentProvidersName } from './absent-providers.ts'
import { optionalEnv, requiredEnv } from './env.ts'
import { openTelemetry } from './opentelemetry.ts'

/** A promise if the plugin is loaded only when used, or if it takes a probe to find out whether the provider is there. */
export type DefaultEntry = PluginUse | false | Promise<PluginUse | false>

/** For `defaults(options)`. */
export interface DefaultsOptions {
  /** The entries to leave out: plugins by name, providers by id. */
  readonly without?: readonly string[]
}

/**
 * The usual setup: everything that should survive a restart in SQLite (in Postgres with DATABASE_URL), what several gateways count together
 * in Valkey with VALKEY_URL or REDIS_URL, the bundled catalog, the sorts, the endpoints, the guardrails, the sandbox, one log line per request,
 * OpenTelemetry with OTEL_EXPORTER_OTLP_ENDPOINT, every provider and search engine whose key is in the environment, and
 * Ollama if it is running.
 */
export function defaults(options: DefaultsOptions = {}): readonly DefaultEntry[] {
  const left = new Set(withoutOf(options))
  const all = everything()
  const names = [...all.map(([name]) => name), absentProvidersName]
  for (const name of left) {
    if (!names.includes(name)) throw new Error(`defaults({ without }) does not know "${name}". ${adviceFor(name, names)}`)
  }
  const entries = all.filter(([name]) => !left.has(name)).map(([name, plugin, remedy]) => ({ name, remedy, entry: plugin() }))
  return [...entries.map(({ entry }) => asDefault(entry)), !left.has(absentProvidersName) && absentAmong(entries)]
}

/** Marks an entry that gives way to the config's own entries. */
function asDefault(entry: DefaultEntry): DefaultEntry {
  if (isPending(entry)) return entry.then(use => use && { ...use, isDefault: true })
  return entry && { ...entry, isDefault: true }
}

function withoutOf(options: DefaultsOptions): readonly string[] {
  for (const name of Object.keys(options)) {
    if (name !== 'without') throw new Error(`defaults() has no option ${name}. ${adviceFor(name, ['without'])}`)
  }
  const { without = [] } = options
  if (!Array.isArray(without))
    throw new Error(`defaults({ without }) must be an array, such as ['sandbox'], got ${JSON.stringify(without)}.`)
  return without
}

function adviceFor(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${known.join(', ')}.`
}

/** Gives requests for a provider that is not loaded an error that says how to load it. */
async function absentAmong(
  entries: readonly { readonly name: string; readonly remedy: string | undefined; readonly entry: DefaultEntry }[],
): Promise<PluginUse> {
  const providers: AbsentProvider[] = []
  for (const { name, remedy, entry } of entries) {
    if (remedy !== undefined && (await entry) === false) providers.push({ id: name, remedy })
  }
  return absentProviders({ providers })
}

/** `remedy`: how to load the provider, for error messages. */
type NamedEntry = readonly [name: string, plugin: () => DefaultEntry, remedy?: string]

function everything(): readonly NamedEntry[] {
  const openaiKey = optionalEnv('OPENAI_API_KEY')
  const anthropicKey = optionalEnv('ANTHROPIC_API_KEY')
  const geminiKey = optionalEnv('GEMINI_API_KEY') ?? optionalEnv('GOOGLE_API_KEY')
  const cohereKey = optionalEnv('CO_API_KEY') ?? optionalEnv('COHERE_API_KEY')
  const azureKey = optionalEnv('AZURE_OPENAI_API_KEY')
  const azureEndpoint = optionalEnv('AZURE_OPENAI_ENDPOINT')
  const mistralKey = optionalEnv('MISTRAL_API_KEY')
  const voyageKey = optionalEnv('VOYAGE_API_KEY')
  const jinaKey = optionalEnv('JINA_API_KEY')
  const databaseUrl = optionalEnv('DATABASE_URL')
  const valkeyUrl = optionalEnv('VALKEY_URL') ?? optionalEnv('REDIS_URL')
  return [
    ['memory', () => memory({})],
    // Keeps everything that it can: of the defaults that offer a service, the last one provides it.
    ['sql', () => sql(databaseUrl === undefined ? {} : { url: databaseUrl })],
    ['valkey', () => valkeyUrl !== undefined && used(import('../plugins/stores/valkey/index.ts'), { url: valkeyUrl })],
    ['account-policies', () => accountPolicies({})],
    ['local-sealer', () => localSealer(masterKeys())],
    ['console-log', () => consoleLog({})],
    ['alert-webhook', () => alertWebhook(alertTargets())],
    ['opentelemetry', openTelemetry],
    ['zdr', () => zdr({})],
    ['hipaa', () => hipaa({})],
    ['redaction', () => redaction({})],
    ['summary', () => summary({})],
    ['bundled-catalog', () => bundledCatalog({})],
    ['performance-sort', () => performanceSort({})],
    ['cost-sort', () => costSort({})],
    ['latency-sort', () => latencySort({})],
    ['throughput-sort', () => throughputSort({})],
    ['uptime-sort', () => uptimeSort({})],
    ['totals-sort', () => totalsSort({})],
    ['responses', () => responses({})],
    ['conversations', () => conversations({})],
    ['responses-websocket', () => responsesWebSocket({})],
    ['chat', () => chat({})],
    ['messages', () => messages({})],
    ['gemini-api', () => geminiApi({})],
    ['decisions', () => decisions({})],
    ['embeddings', () => embeddings({})],
    ['rerank', () => rerank({})],
    ['models', () => models({})],
    ['key', () => key({})],
    ['health', () => health({})],
    ['openapi', () => openapi({})],
    ['admin', () => admin({})],
    ['dashboard', () => dashboard({})],
    ['sandbox', () => sandbox({})],
    ...searchEngines(),
    ['web-search', () => webSearch({})],
    ['language-model-decisions', () => used(import('../plugins/decisions/llm/index.ts'), { id: 'language-model', anyModel: true })],
    ['openai-decisions', () => openaiKey !== undefined && used(import('../plugins/decisions/openai/index.ts'), { apiKey: openaiKey })],
    ['dm', decisionVendor],
    [
      'openai',
      () => openaiKey !== undefined && used(import('../plugins/providers/openai-responses/index.ts'), { apiKey: openaiKey }),
      'set OPENAI_API_KEY',
    ],
    [
      'anthropic',
      () => anthropicKey !== undefined && used(import('../plugins/providers/anthropic/index.ts'), { apiKey: anthropicKey }),
      'set ANTHROPIC_API_KEY',
    ],
    [
      'gemini',
      () => geminiKey !== undefined && used(import('../plugins/providers/gemini/index.ts'), { apiKey: geminiKey }),
      'set GEMINI_API_KEY',
    ],
    [
      'cohere',
      () => cohereKey !== undefined && used(import('../plugins/providers/cohere/index.ts'), { apiKey: cohereKey }),
      'set CO_API_KEY',
    ],
    [
      'bedrock',
      () => isBedrockThere() && used(import('../plugins/providers/bedrock/index.ts'), {}),
      'set AWS_BEARER_TOKEN_BEDROCK and AWS_REGION',
    ],
    [
      'azure',
      () =>
        azureKey !== undefined &&
        azureEndpoint !== undefined &&
        used(import('../plugins/providers/azure/index.ts'), { apiKey: azureKey, baseUrl: azureEndpoint }),
      'set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT',
    ],
    [
      'mistral',
      () => mistralKey !== undefined && used(import('../plugins/providers/mistral/index.ts'), { apiKey: mistralKey }),
      'set MISTRAL_API_KEY',
    ],
    [
      'voyage',
      () => voyageKey !== undefined && used(import('../plugins/providers/voyage/index.ts'), { apiKey: voyageKey }),
      'set VOYAGE_API_KEY',
    ],
    ['jina', () => jinaKey !== undefined && used(import('../plugins/providers/jina/index.ts'), { apiKey: jinaKey }), 'set JINA_API_KEY'],
    ...chatHosts(),
    ['ollama', localOllama, 'start Ollama'],
  ]
}

function masterKeys(): Parameters<typeof localSealer>[0] {
  const masterKey = optionalEnv('GATEWAY_MASTER_KEY')
  const previousKeys = optionalEnv('GATEWAY_PREVIOUS_MASTER_KEYS')?.split(',')
  const macKey = optionalEnv('GATEWAY_MAC_KEY')
  return {
    ...(masterKey !== undefined && { masterKey }),
    ...(previousKeys && { previousKeys: previousKeys.map(key => key.trim()) }),
    ...(macKey !== undefined && { macKey }),
  }
}

/** The operator's target. Those of organizations need no variable. */
function alertTargets(): Parameters<typeof alertWebhook>[0] {
  const url = optionalEnv('TURNPIKE_ALERT_WEBHOOK_URL')
  const format = optionalEnv('TURNPIKE_ALERT_WEBHOOK_FORMAT') as AlertFormat | undefined
  const secret = optionalEnv('TURNPIKE_ALERT_WEBHOOK_SECRET')?.split(',')
  if (url === undefined) {
    if (format === undefined && secret === undefined) return {}
    const name = format === undefined ? 'TURNPIKE_ALERT_WEBHOOK_SECRET' : 'TURNPIKE_ALERT_WEBHOOK_FORMAT'
    throw new Error(`${name} is set, but TURNPIKE_ALERT_WEBHOOK_URL is not, so nobody would get alerts. Set it, or remove ${name}.`)
  }
  return { targets: [{ url, ...(format && { format }), ...(secret && { secret: secret.map(each => each.trim()) }) }] }
}

/** Most gateways use few vendors, and loading all of them would make every start slower. */
async function used<O>(module: Promise<{ readonly default: (options: O) => PluginUse }>, options: O): Promise<PluginUse> {
  const { default: plugin } = await module
  return plugin(options)
}

/** In the order in which they are asked. The last one gives the sandbox's models something to find without a key. */
function searchEngines(): readonly NamedEntry[] {
  const engine = <O>(
    name: string,
    load: () => Promise<{ readonly default: (options: O) => PluginUse }>,
    options: O | undefined,
  ): NamedEntry => [name, () => options !== undefined && used(load(), options)]
  const keyed = (variable: string): { readonly apiKey: string } | undefined => {
    const apiKey = optionalEnv(variable)
    return apiKey === undefined ? undefined : { apiKey }
  }
  const google = keyed('GOOGLE_SEARCH_API_KEY')
  const engineId = optionalEnv('GOOGLE_SEARCH_ENGINE_ID')
  const searxng = optionalEnv('SEARXNG_BASE_URL')
  const documentation = { name: 'docs', forProviders: ['sandbox'] }
  return [
    engine('tavily-search', () => import('../plugins/engines/tavily/index.ts'), keyed('TAVILY_API_KEY')),
    engine('brave-search', () => import('../plugins/engines/brave/index.ts'), keyed('BRAVE_SEARCH_API_KEY')),
    engine('exa-search', () => import('../plugins/engines/exa/index.ts'), keyed('EXA_API_KEY')),
    engine('linkup-search', () => import('../plugins/engines/linkup/index.ts'), keyed('LINKUP_API_KEY')),
    engine('serper-search', () => import('../plugins/engines/serper/index.ts'), keyed('SERPER_API_KEY')),
    engine('jina-search', () => import('../plugins/engines/jina/index.ts'), keyed('JINA_API_KEY')),
    engine('kagi-search', () => import('../plugins/engines/kagi/index.ts'), keyed('KAGI_API_KEY')),
    engine('google-search', () => import('../plugins/engines/google/index.ts'), google && engineId ? { ...google, engineId } : undefined),
    engine('searxng-search', () => import('../plugins/engines/searxng/index.ts'), searxng === undefined ? undefined : { baseUrl: searxng }),
    engine('static-search', () => import('../plugins/engines/static/index.ts'), documentation),
  ]
}

/** The plugin reads the other AWS variables itself. */
function isBedrockThere(): boolean {
  const credentials = optionalEnv('AWS_BEARER_TOKEN_BEDROCK') ?? (optionalEnv('AWS_SECRET_ACCESS_KEY') && optionalEnv('AWS_ACCESS_KEY_ID'))
  return credentials !== undefined && (optionalEnv('AWS_REGION') ?? optionalEnv('AWS_DEFAULT_REGION')) !== undefined
}

/** Hosts with a dedicated plugin. */
const ownPlugins: ReadonlySet<HostName> = new Set(['openai', 'mistral'])

/** It has no default address. */
function decisionVendor(): DefaultEntry {
  const apiKey = optionalEnv('DM_API_KEY')
  if (apiKey === undefined) return false
  const advice = 'DM_API_KEY is set, so set DM_BASE_URL to the address of the decision vendor, or leave out the plugin "dm".'
  return used(import('../plugins/decisions/dm/index.ts'), { apiKey, baseUrl: requiredEnv('DM_BASE_URL', advice) })
}

function chatHosts(): readonly NamedEntry[] {
  return (Object.entries(hosts) as [HostName, Host][])
    .filter(([host]) => !ownPlugins.has(host))
    .flatMap(([host, { keyVariable, explicit, account: inAddress }]): NamedEntry[] => {
      if (keyVariable === undefined || explicit) return []
      const apiKey = optionalEnv(keyVariable)
      const account = inAddress && optionalEnv(inAddress.variable)
      const isSet = apiKey !== undefined && (account !== undefined || !inAddress)
      const remedy = `set ${inAddress ? `${keyVariable} and ${inAddress.variable}` : keyVariable}`
      const plugin = (): DefaultEntry =>
        isSet && used(import('../plugins/providers/openai-chat/index.ts'), { host, apiKey, ...(account && { account }) })
      return [[host, plugin, remedy]]
    })
}

const probeTimeoutMs = 100

/** Checks only whether something listens on the port: a loopback connection succeeds or fails at once. */
async function localOllama(): Promise<PluginUse | false> {
  const { hostname, port } = new URL(defaultBaseUrl)
  const answers = await new Promise<boolean>(resolve => {
    const socket = connect({ host: hostname, port: Number(port), timeout: probeTimeoutMs })
    const settle = (found: boolean) => (): void => {
      socket.destroy()
      resolve(found)
    }
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false))
  })
  return answers && used(import('../plugins/providers/ollama/index.ts'), {})
}

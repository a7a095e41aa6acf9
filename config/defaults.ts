import { connect } from 'node:net'
import { nearest, type AbsentProvider, type PluginUse } from '../core/index.ts'
import bundledCatalog from '../plugins/catalogs/bundled/index.ts'
import dm from '../plugins/decisions/dm/index.ts'
import decisions from '../plugins/endpoints/decisions/index.ts'
import health from '../plugins/endpoints/health/index.ts'
import models from '../plugins/endpoints/models/index.ts'
import openapi from '../plugins/endpoints/openapi/index.ts'
import responses from '../plugins/endpoints/responses/index.ts'
import consoleLog from '../plugins/logs/console/index.ts'
import anthropic from '../plugins/providers/anthropic/index.ts'
import bedrock from '../plugins/providers/bedrock/index.ts'
import cohere from '../plugins/providers/cohere/index.ts'
import gemini from '../plugins/providers/gemini/index.ts'
import ollama, { defaultBaseUrl } from '../plugins/providers/ollama/index.ts'
import { hosts, type Host, type HostName } from '../plugins/providers/openai-chat/hosts.ts'
import azure from '../plugins/providers/azure/index.ts'
import mistral from '../plugins/providers/mistral/index.ts'
import openaiChat from '../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../plugins/providers/openai-responses/index.ts'
import sandbox from '../plugins/providers/sandbox/index.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import memory from '../plugins/stores/memory/index.ts'
import sql from '../plugins/stores/sql/index.ts'
import absentProviders, { absentProvidersName } from './absent-providers.ts'
import { optionalEnv, requiredEnv } from './env.ts'

/** A promise where it takes a probe to find out whether the provider is there. */
export type DefaultEntry = PluginUse | false | Promise<PluginUse | false>

export interface DefaultsOptions {
  /** What to leave out: plugins by name, providers by id. */
  readonly without?: readonly string[]
}

/**
 * The usual setup: keys and responses in SQLite, everything else in memory, the bundled catalog, the endpoints, the sandbox, one log
 * line per request, every provider whose key is in the environment, and Ollama if it is running.
 */
export function defaults(options: DefaultsOptions = {}): readonly DefaultEntry[] {
  const left = new Set(withoutOf(options))
  const all = everything()
  const names = [...all.map(([name]) => name), absentProvidersName]
  for (const name of left) {
    if (!names.includes(name)) throw new Error(`defaults({ without }) does not know "${name}". ${adviceFor(name, names)}`)
  }
  const entries = all.filter(([name]) => !left.has(name)).map(([name, plugin, remedy]) => ({ name, remedy, entry: plugin() }))
  return [...entries.map(({ entry }) => entry), !left.has(absentProvidersName) && absentAmong(entries)]
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

/** Lets a request for a provider that is not loaded get an error that says how to load it. */
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
  const masterKey = optionalEnv('GATEWAY_MASTER_KEY')
  return [
    ['memory', () => memory({ services: ['metrics', 'limits', 'ledger'] })],
    ['sql', () => sql({ services: ['keys', 'responses'] })],
    ['local-sealer', () => localSealer(masterKey === undefined ? {} : { masterKey })],
    ['console-log', () => consoleLog({})],
    ['bundled-catalog', () => bundledCatalog({})],
    ['responses', () => responses({})],
    ['decisions', () => decisions({})],
    ['models', () => models({})],
    ['health', () => health({})],
    ['openapi', () => openapi({})],
    ['sandbox', () => sandbox({})],
    ['dm', decisionVendor],
    ['openai', () => openaiKey !== undefined && openaiResponses({ apiKey: openaiKey }), 'set OPENAI_API_KEY'],
    ['anthropic', () => anthropicKey !== undefined && anthropic({ apiKey: anthropicKey }), 'set ANTHROPIC_API_KEY'],
    ['gemini', () => geminiKey !== undefined && gemini({ apiKey: geminiKey }), 'set GEMINI_API_KEY'],
    ['cohere', () => cohereKey !== undefined && cohere({ apiKey: cohereKey }), 'set CO_API_KEY'],
    ['bedrock', () => isBedrockThere() && bedrock({}), 'set AWS_BEARER_TOKEN_BEDROCK and AWS_REGION'],
    [
      'azure',
      () => azureKey !== undefined && azureEndpoint !== undefined && azure({ apiKey: azureKey, baseUrl: azureEndpoint }),
      'set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT',
    ],
    ['mistral', () => mistralKey !== undefined && mistral({ apiKey: mistralKey }), 'set MISTRAL_API_KEY'],
    ...chatHosts(),
    ['ollama', localOllama, 'start Ollama'],
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
function decisionVendor(): PluginUse | false {
  const apiKey = optionalEnv('DM_API_KEY')
  if (apiKey === undefined) return false
  const advice = 'DM_API_KEY is set, so set DM_BASE_URL to the address of the decision vendor, or leave out the plugin "dm".'
  return dm({ apiKey, baseUrl: requiredEnv('DM_BASE_URL', advice) })
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
      return [[host, () => isSet && openaiChat({ host, apiKey, ...(account && { account }) }), remedy]]
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
  return answers && ollama({})
}

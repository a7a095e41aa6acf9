import { join } from 'node:path'
import t from 'tap'
import { createGateway } from '../../../../core/gateway.ts'
import type { PluginUse } from '../../../../core/index.ts'
import aiSdk from '../../../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import azure from '../../../../plugins/providers/azure/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import mistral from '../../../../plugins/providers/mistral/index.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import { basics, gateway } from '../../../kit/gateway.ts'

// If a provider cannot be set up, the operator reads one sentence with the plugin, the option, and what to do.

const nowhere = join(import.meta.dirname, 'nowhere')
for (const name of Object.keys(process.env).filter(name => /^(AWS|GOOGLE|AZURE|CLOUDSDK)_/.test(name))) delete process.env[name]
Object.assign(process.env, {
  HOME: nowhere,
  AWS_CONFIG_FILE: join(nowhere, 'config'),
  AWS_SHARED_CREDENTIALS_FILE: join(nowhere, 'credentials'),
})

const apiKey = 'sk-demo-start'
/** Options that no type allows. */
const wrong = (use: (options: never) => PluginUse, options: object): PluginUse => use(options as never)

const noAddress = 'baseUrl must be a URL that starts with http:// or https://'
const wrongAddresses = ['api.example.com', 'ftp://api.example.com', 'https://', '//api.example.com', 'http://a b']
const withAddress: Readonly<Record<string, (baseUrl: string) => PluginUse>> = {
  'openai-responses': baseUrl => openaiResponses({ apiKey, baseUrl }),
  'openai-chat': baseUrl => openaiChat({ apiKey, baseUrl }),
  anthropic: baseUrl => anthropic({ apiKey, baseUrl }),
  gemini: baseUrl => gemini({ apiKey, baseUrl }),
  vertex: baseUrl => vertex({ baseUrl }),
  bedrock: baseUrl => bedrock({ apiKey, baseUrl }),
  azure: baseUrl => azure({ apiKey, baseUrl }),
  mistral: baseUrl => mistral({ apiKey, baseUrl }),
  cohere: baseUrl => cohere({ apiKey, baseUrl }),
  ollama: baseUrl => ollama({ baseUrl }),
  'ai-sdk': baseUrl => aiSdk({ package: '@ai-sdk/openai', apiKey, baseUrl }),
}

const keyless: Readonly<Record<string, readonly [use: PluginUse, variable: string]>> = {
  'openai-responses(openai)': [openaiResponses({}), 'OPENAI_API_KEY'],
  'openai-chat(openai)': [openaiChat({}), 'OPENAI_API_KEY'],
  'openai-chat(groq)': [openaiChat({ host: 'groq' }), 'GROQ_API_KEY'],
  'anthropic(anthropic)': [anthropic({}), 'ANTHROPIC_API_KEY'],
  'gemini(gemini)': [gemini({}), 'GEMINI_API_KEY'],
  'mistral(mistral)': [mistral({}), 'MISTRAL_API_KEY'],
  'cohere(cohere)': [cohere({}), 'CO_API_KEY'],
}

const others: readonly (readonly [use: PluginUse, message: string | RegExp])[] = [
  ...Object.entries(keyless).map(
    ([plugin, [use, variable]]) => [use, `plugin ${plugin} needs the option apiKey, such as apiKey: env('${variable}').`] as const,
  ),
  [
    openaiChat({ host: 'compatible' }),
    /^plugin openai-chat\(compatible\) needs the option baseUrl, because its host has no default address/,
  ],
  [openaiChat({ host: 'cloudflare', apiKey }), /^plugin openai-chat\(cloudflare\) needs the option account, /],
  [
    openaiChat({ id: 'acme', apiKey, maxQueued: 5 }),
    'plugin openai-chat(acme) sets maxQueued for the provider "acme" without maxConcurrent, so no request would ever wait. Set maxConcurrent, too, or leave out maxQueued.',
  ],
  [wrong(openaiChat, { host: 'grok' }), /^plugin openai-chat has bad options: host must be one of .*groq/],
  [anthropic({ apiKey: '' }), 'plugin anthropic has bad options: apiKey must not be empty'],
  [wrong(anthropic, { apiKey: 7 }), 'plugin anthropic has bad options: apiKey must be a string or an array'],
  [wrong(cohere, { apikey: apiKey }), /^plugin cohere has bad options: unknown option apikey; did you mean apiKey\?$/],
  [azure({ apiKey }), 'plugin azure(azure) needs the option resource, or baseUrl with the endpoint of the resource.'],
  [azure({ resource: 'demo' }), 'plugin azure(azure) needs exactly one of the options apiKey, token and entra.'],
  [azure({ resource: 'demo', apiKey, token: 'demo-token' }), /needs exactly one of the options apiKey, token and entra/],
  [wrong(azure, { resource: 'demo', entra: { tokenUrl: 'a' } }), /unknown option entra\.tokenUrl/],
  [vertex({}), /^plugin vertex\(vertex\) found no Google credentials\. Run "gcloud auth .*set the option credentials/],
  [vertex({ credentials: { file: join(nowhere, 'key.json') } }), /^plugin vertex\(vertex\) cannot read .*key\.json/],
  [vertex({ credentials: { json: '{"type":' } }), /^plugin vertex\(vertex\) .*credentials/],
  [
    vertex({ credentials: { source: 'metadata' } }),
    'plugin vertex(vertex) needs the option project, because its credentials do not name one.',
  ],
  [
    bedrock({}),
    /^plugin bedrock\(bedrock\) has no credentials: set the option apiKey, credentials, profile or defaultChain, or one of AWS_/,
  ],
  [bedrock({ apiKey }), /^plugin bedrock\(bedrock\) has no region: set the option region, or AWS_REGION/],
  [
    bedrock({ profile: 'demo', region: 'us-east-1' }),
    /^plugin bedrock\(bedrock\) found no profile "demo" .* change the option profile or AWS_PROFILE/,
  ],
  [aiSdk({ package: '@ai-sdk/absent' }), /^plugin ai-sdk\(absent\) needs the package @ai-sdk\/absent, .*: npm install @ai-sdk\/absent$/],
  [wrong(aiSdk, {}), 'plugin ai-sdk has bad options: package is missing'],
]

const start = (...plugins: readonly PluginUse[]): Promise<unknown> =>
  createGateway({ plugins: [...basics(), ...plugins], settings: { logLevel: 'silent' } })

t.test('a wrong address', async t => {
  for (const [name, use] of Object.entries(withAddress))
    for (const address of wrongAddresses)
      await t.rejects(start(use(address)), { message: `plugin ${name} has bad options: ${noAddress}` }, `${name}: ${address}`)
})

t.test('what is missing', async t => {
  for (const [use, message] of others) {
    const error = await start(use).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    t.match(error, { name: 'PluginError', message })
    t.notOk(error?.message.includes('\n') || error?.message.includes(apiKey), 'one line without a secret')
  }
})

t.test('all bad options of all plugins are told at once', async t => {
  const both = start(anthropic({ apiKey, baseUrl: 'a' }), cohere({ apiKey: [] }))
  await t.rejects(both, { message: /^plugin anthropic .*\nplugin cohere has bad options: apiKey must not be empty$/ })
})

t.test('an address of one’s own, or a header, needs no key', async () => {
  const baseUrl = 'http://127.0.0.1:9/v1'
  const headers = { authorization: 'Bearer demo' }
  const plugins = [openaiResponses({ baseUrl }), openaiChat({ host: 'groq', headers }), openaiChat({ host: 'vllm' })]
  const more = [anthropic({ baseUrl }), gemini({ headers }), mistral({ baseUrl }), cohere({ headers })]
  const { stop } = await gateway({ plugins: [...plugins, ...more] })
  await stop()
})

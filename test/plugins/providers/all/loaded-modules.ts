// A separate process: the packages that it loads for a gateway with every provider in it, at start and by the first requests.
import { registerHooks } from 'node:module'

const loaded = new Set<string>()
registerHooks({
  load(url, context, next) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
    if (name) loaded.add(name)
    return next(url, context)
  },
})

const variables = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'CO_API_KEY', 'MISTRAL_API_KEY', 'GROQ_API_KEY', 'XAI_API_KEY']
for (const name of variables) process.env[name] = 'sk-demo-loaded'
Object.assign(process.env, {
  AZURE_OPENAI_API_KEY: 'sk-demo-loaded',
  AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:9',
  AWS_ACCESS_KEY_ID: 'AKIADEMOLOADED',
  AWS_SECRET_ACCESS_KEY: 'sk-demo-loaded',
  AWS_REGION: 'us-east-1',
})

const { defaults } = await import('../../../../config/defaults.ts')
const { testGateway } = await import('../../../../core/testing/index.ts')
const { default: memory } = await import('../../../../plugins/stores/memory/index.ts')
const { default: vertex } = await import('../../../../plugins/providers/vertex/index.ts')
const { default: bedrock } = await import('../../../../plugins/providers/bedrock/index.ts')
await import('../../../../plugins/providers/ai-sdk/index.ts')
const { FakeGoogle } = await import('../../../kit/fake-google.ts')

const google = await FakeGoogle.start()
const baseUrl = 'http://127.0.0.1:9'
const credentials = { json: JSON.stringify(google.serviceAccount) }
const listed = await Promise.all(defaults({ without: ['memory', 'sql', 'local-sealer', 'console-log'] }))
const { default: localSealer } = await import('../../../../plugins/sealers/local/index.ts')
const under = await testGateway({
  plugins: [
    memory({}),
    localSealer({ masterKey: 'ab'.repeat(32) }),
    ...listed.filter(plugin => plugin !== false),
    vertex({ baseUrl, credentials, tokenUrl: `${google.url}/token` }),
    bedrock({ id: 'near', baseUrl }),
  ],
  settings: { logLevel: 'silent' },
})
const ask = async (model: string): Promise<readonly string[]> => {
  const before = new Set(loaded)
  const reply = await under.request('/v1/responses', { body: { model, input: 'Hello' } })
  await reply.text()
  return [...loaded].filter(name => !before.has(name))
}

const start = [...loaded]
const providers = under.gateway.contributions.filter(({ point }) => point === 'provider').map(({ name }) => name)
const sandbox = await ask('sandbox/echo')
const vertexAi = await ask('vertex/gemini-demo')
const amazon = await ask('near/amazon.nova-lite-v1:0')
console.log(JSON.stringify({ providers, start, sandbox, vertex: vertexAi, amazon }))
await under.stop()
await google.close()

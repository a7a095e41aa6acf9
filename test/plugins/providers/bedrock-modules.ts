// A separate process: the AWS modules that it loads for a gateway with Bedrock in it, before and after the first request.
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})

const { gateway } = await import('../../kit/gateway.ts')
const { default: bedrock } = await import('../../../plugins/providers/bedrock/index.ts')
const smithy = (): number => loaded.filter(url => /node_modules\/@(smithy|aws)/.test(url)).length

const credentials = { accessKeyId: 'AKIADEMO1', secretAccessKey: 'demo-secret-1' }
const under = await gateway({
  plugins: [bedrock({ credentials, region: 'eu-central-1', baseUrl: 'http://127.0.0.1:9' })],
  settings: { logLevel: 'silent' },
})
const ask = (model: string): Promise<Response> => under.request('/v1/responses', { method: 'POST', body: { model, input: 'Hello' } })
await ask('sandbox/echo')
const before = smithy()
await ask('bedrock/amazon.nova-lite-v1:0')
console.log(JSON.stringify({ modules: loaded.length, before, after: smithy() }))
await under.stop()

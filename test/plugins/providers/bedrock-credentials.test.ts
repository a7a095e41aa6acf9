import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime'
import { LLMock } from '@copilotkit/aimock'
import t, { type Test } from 'tap'
import { defaults } from '../../../config/defaults.ts'
import type { JsonObject, PluginUse } from '../../../core/index.ts'
import { checkEvents, providerCall, readEvents, type FakeUpstream } from '../../../core/testing/index.ts'
import bedrock from '../../../plugins/providers/bedrock/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { awsEnvironment } from './aws-environment.ts'
import { apiKey, fakeBedrock, region, vendorClient, type Keys } from './bedrock-fake.ts'

const clock = new FakeClock(Date.parse('2026-03-01T12:00:00Z'))
const now = (): number => clock.now()
const plain: Keys = { accessKeyId: 'AKIADEMO1', secretAccessKey: 'demo-secret-1' }
const temporary: Keys = { accessKeyId: 'ASIADEMO2', secretAccessKey: 'demo/secret+2', sessionToken: 'demo-session-token-2' }
const retired: Keys = { accessKeyId: 'AKIADEMO3', secretAccessKey: 'demo-secret-3' }
const model = 'us.amazon.nova-lite-v1:0'

async function upstream(t: Test): Promise<FakeUpstream> {
  const fake = await fakeBedrock({ keys: [plain, temporary], now })
  t.teardown(() => fake.close())
  return fake
}

async function withPlugins(t: Test, ...plugins: PluginUse[]): Promise<GatewayUnderTest> {
  const under = await gateway({ plugins, clock })
  t.teardown(() => under.stop())
  return under
}

function ask(under: GatewayUnderTest, more: JsonObject = {}, name = `bedrock/${model}`): Promise<Response> {
  return under.request('/v1/responses', { method: 'POST', body: { model: name, input: 'Hello', ...more } })
}

t.test('requests are signed so that another library comes to the same signature', async t => {
  const { url: baseUrl, requests } = await upstream(t)
  const options = { region, baseUrl, headers: { 'X-Demo': 'two  spaces' } }
  const under = await withPlugins(
    t,
    bedrock({ ...options, credentials: plain }),
    bedrock({ ...options, id: 'temporary', credentials: temporary }),
    bedrock({ ...options, id: 'behind-a-path', credentials: plain, baseUrl: `${baseUrl}/some/path/` }),
  )
  const models = [model, 'anthropic.claude-3-haiku-20240307-v1:0', 'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.nova:0']
  for (const provider of ['bedrock', 'temporary', 'behind-a-path'])
    for (const name of models)
      for (const input of ['Hello', 'Grüße, 世界 😀'])
        for (const stream of [true, false]) {
          const response = await ask(under, { stream, input }, `${provider}/${name}`)
          t.equal(response.status, 200, `${provider} ${name}`)
          if (stream) t.match(checkEvents(readEvents(await response.text())).response, { output: [{ content: [{ text: 'Hello.' }] }] })
          else t.match(await response.json(), { output: [{ content: [{ text: 'Hello.' }] }] })
        }
  t.match(
    requests.at(-1)!.url,
    /^\/some\/path\/model\/arn%3Aaws%3Abedrock%3Aeu-central-1%3A123456789012%3Ainference-profile%2Feu\.nova%3A0\/converse$/,
  )
  t.match(requests[0]!.headers, {
    'x-amz-date': '20260301T120000Z',
    'x-demo': 'two  spaces',
    authorization: /Credential=AKIADEMO1\/20260301\/eu-central-1\/bedrock\/aws4_request/,
  })
})

t.test('the fake is no pushover: the vendor client passes, and whoever changes anything does not', async t => {
  const { url } = await upstream(t)
  const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }]
  for (const keys of [plain, temporary]) {
    const client = vendorClient(url, keys, now)
    const { output } = await client.send(new ConverseCommand({ modelId: model, messages }))
    t.match(output, { message: { content: [{ text: 'Hello.' }] } })
    const events = []
    for await (const event of (await client.send(new ConverseStreamCommand({ modelId: model, messages }))).stream!) events.push(event)
    t.equal(events.length, 5)
  }
  for (const keys of [{ ...plain, secretAccessKey: 'another' }, retired, { ...temporary, sessionToken: 'another' }])
    await t.rejects(vendorClient(url, keys, now).send(new ConverseCommand({ modelId: model, messages })), /token|signature/)
  const late = vendorClient(url, plain, () => now() + 600_000)
  await t.rejects(late.send(new ConverseCommand({ modelId: model, messages })), /Signature expired/)
})

t.test("what AWS says of the gateway's own keys stays inside", async t => {
  const { url: baseUrl } = await upstream(t)
  const under = await withPlugins(t, bedrock({ region, baseUrl, credentials: { ...plain, secretAccessKey: 'demo-wrong-secret' } }))
  const response = await ask(under)
  t.equal(response.status, 424)
  t.notMatch(await response.text(), /signature|AKIADEMO1|demo-wrong-secret/i)
  t.notMatch(under.logs.join(), /demo-wrong-secret|AKIADEMO1/)
})

t.test('of several credentials those that fail make way', async t => {
  const { url: baseUrl, requests } = await upstream(t)
  const under = await withPlugins(t, bedrock({ region, baseUrl, apiKey, credentials: [retired, plain, temporary] }))
  for (let count = 0; count < 8; count++) t.equal((await ask(under)).status, 200)
  const used = requests.map(({ headers }) => /Credential=([^/]+)|Bearer/.exec(String(headers.authorization))!)
  const counts = Map.groupBy(used, ([whole, id]) => id ?? whole)
  t.equal(counts.get('AKIADEMO3')!.length, 1, 'the one that AWS does not know is tried once')
  for (const id of ['Bearer', 'AKIADEMO1', 'ASIADEMO2']) t.ok(counts.get(id)!.length >= 2, id)
})

t.test('credentials and region come from the environment where no option has them', async t => {
  const { url: baseUrl, requests } = await upstream(t)
  const lastUsed = (): string => String(requests.at(-1)!.headers.authorization)
  const { accessKeyId, secretAccessKey, sessionToken } = temporary
  await t.test('access keys', async t => {
    awsEnvironment(t, {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken!,
      AWS_REGION: region,
    })
    const under = await withPlugins(t, bedrock({ baseUrl }))
    t.equal((await ask(under)).status, 200)
    t.match(lastUsed(), /ASIADEMO2/)
    under.gateway.log.info(`${secretAccessKey} ${sessionToken}`)
    t.notMatch(under.logs.join(), /demo\/secret|demo-session/)
  })
  await t.test('a bearer token comes first', async t => {
    awsEnvironment(t, { AWS_BEARER_TOKEN_BEDROCK: apiKey, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey })
    const under = await withPlugins(t, bedrock({ baseUrl }))
    t.equal((await ask(under)).status, 200, 'a bearer token to a given address needs no region')
    t.equal(lastUsed(), `Bearer ${apiKey}`)
  })
})

t.test('profiles are read when they are needed, and again when their file changes', async t => {
  const { url: baseUrl, requests } = await upstream(t)
  const folder = t.testdir({ credentials: profile('demo', temporary), config: `[profile demo]\nregion = ${region}\n` })
  const credentials = join(folder, 'credentials')
  awsEnvironment(t, { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: join(folder, 'config') })
  const under = await withPlugins(t, bedrock({ baseUrl, profile: 'demo' }))
  t.equal((await ask(under)).status, 200)
  t.match(requests.at(-1)!.headers.authorization, /ASIADEMO2/)
  writeFileSync(credentials, `# another login\n${profile('demo', plain)}`)
  clock.pass(10_000)
  // The first request after the change starts the reading.
  do t.equal((await ask(under)).status, 200)
  while (!/AKIADEMO1/.test(String(requests.at(-1)!.headers.authorization)))
  under.gateway.log.info(`${temporary.secretAccessKey} ${plain.secretAccessKey}`)
  t.notMatch(under.logs.join(), /demo\/secret\+2|demo-secret-1/)
})

function profile(name: string, { accessKeyId, secretAccessKey, sessionToken }: Keys): string {
  const token = sessionToken === undefined ? '' : `aws_session_token = ${sessionToken}\n`
  return `[default]\n[${name}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n${token}`
}

t.test('a missing setting is named at start, in one sentence', async t => {
  const folder = t.testdir({})
  mkdirSync(join(folder, 'empty'))
  awsEnvironment(t, { AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'), AWS_CONFIG_FILE: join(folder, 'none') })
  const refused = async (options: Parameters<typeof bedrock>[0], message: RegExp): Promise<void> => {
    await t.rejects(gateway({ plugins: [bedrock(options)] }), { message })
  }
  await refused({ region }, /^plugin bedrock\(bedrock\) has no credentials: set the option apiKey.*AWS_BEARER_TOKEN_BEDROCK/)
  await refused({ credentials: plain }, /has no region: set the option region, or AWS_REGION/)
  await refused({ apiKey }, /has no region/)
  await refused({ region, profile: 'absent' }, /found no profile "absent"/)
  await refused({ region: 'EU Central', apiKey }, /region/)
  await refused({ region, apiKey, baseUrl: 'bedrock.example.com' }, /baseUrl/)
  await refused({ region, credentials: { accessKeyId: 'AKIADEMO1' } as Keys }, /secretAccessKey/)
  await refused({ region, apiKey, invoke: { demo: 'cohere' as never } }, /invoke/)
})

t.test('requests go to the public address of the region unless told otherwise', async t => {
  const addresses: string[] = []
  for (const [name, options] of Object.entries({
    'eu-central-1': {},
    'cn-north-1': {},
    'us-east-1': { baseUrl: 'https://proxy.example.com/' },
  })) {
    const { plugin } = bedrock({ region: name, apiKey, ...options })
    const http = { send: async ({ url }: { readonly url: string }) => Promise.reject(new Error(String(addresses.push(url)))) }
    const added: { generate(call: unknown): AsyncIterable<unknown>; credentials: readonly { readonly id: string }[] }[] = []
    const registrar = { name: 'bedrock', http, secret() {}, add: (_: unknown, provider: never) => added.push(provider) }
    await plugin.setup(registrar as never, { id: 'bedrock', region: name, apiKey, ...options }, { clock })
    const call = providerCall({ model, input: [] }, { credentialId: added[0]!.credentials[0]!.id })
    await t.rejects(added[0]!.generate(call)[Symbol.asyncIterator]().next())
  }
  t.strictSame(
    addresses.map(address => new URL(address).origin),
    [
      'https://bedrock-runtime.eu-central-1.amazonaws.com',
      'https://bedrock-runtime.cn-north-1.amazonaws.com.cn',
      'https://proxy.example.com',
    ],
  )
})

t.test('it is among the defaults where the environment has credentials and a region', async t => {
  const found = async (given: Readonly<Record<string, string>>): Promise<boolean> => {
    let is = false
    await t.test('with this environment', async t => {
      awsEnvironment(t, given)
      const entries = await Promise.all(defaults({ without: ['ollama'] }))
      is = entries.some(entry => entry && entry.plugin.name === 'bedrock')
    })
    return is
  }
  t.notOk(await found({}))
  t.notOk(await found({ AWS_BEARER_TOKEN_BEDROCK: apiKey }))
  t.notOk(await found({ AWS_ACCESS_KEY_ID: 'AKIADEMO1', AWS_REGION: region }))
  t.ok(await found({ AWS_BEARER_TOKEN_BEDROCK: apiKey, AWS_DEFAULT_REGION: region }))
  t.ok(await found({ AWS_ACCESS_KEY_ID: 'AKIADEMO1', AWS_SECRET_ACCESS_KEY: 'demo-secret-1', AWS_REGION: region }))
})

t.test('nothing of AWS is loaded before the first request', async t => {
  const program = fileURLToPath(new URL('bedrock-modules.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=turnpike-source', program], { timeout: 300_000 })
  const seen = JSON.parse(stdout) as { readonly modules: number; readonly before: number; readonly after: number }
  t.ok(seen.modules > 100, `${seen.modules} modules seen`)
  t.equal(seen.before, 0)
  t.ok(seen.after > 0, `${seen.after} modules of AWS are loaded for it`)
})

t.test('against a server that others wrote', async t => {
  const mock = new LLMock({ port: 0 })
  mock.onMessage('Hello', { content: 'Hello yourself.' })
  mock.onMessage('Think', { content: 'So it is.', reasoning: 'It must be so.' })
  mock.onMessage('Weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] })
  mock.onMessage('Fail', { error: { message: 'Slower, please.', type: 'ThrottlingException' }, status: 429 })
  await mock.start()
  t.teardown(() => mock.stop())
  const faults = ['drop', 'malformed', 'disconnect'] as const
  const options = { region, baseUrl: mock.url, credentials: plain }
  const under = await withPlugins(
    t,
    bedrock(options),
    ...faults.map(fault => bedrock({ ...options, id: fault, headers: { [`x-aimock-chaos-${fault}`]: '1' } })),
  )
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object' } }]
  for (const stream of [true, false]) {
    const output = async (input: string): Promise<readonly JsonObject[]> => {
      const response = await ask(under, { input, tools, stream })
      const told = stream ? checkEvents(readEvents(await response.text())).response : ((await response.json()) as JsonObject)
      return told['output'] as readonly JsonObject[]
    }
    t.match(await output('Hello'), [{ status: 'completed', content: [{ text: 'Hello yourself.' }] }])
    t.match(await output('Think'), [{ type: 'reasoning', content: [{ text: 'It must be so.' }] }, { content: [{ text: 'So it is.' }] }])
    t.match((await output('Weather')).at(-1), { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' })
    const failed = await ask(under, { input: 'Fail', stream })
    t.equal(failed.status, 429)
    t.match(await failed.text(), /Slower, please/)
    for (const fault of faults) t.equal((await ask(under, { stream }, `${fault}/${model}`)).status, 424, fault)
  }
})

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { systemClock } from '../../../core/foundation/clock.ts'
import type { RenewedCredential } from '../../../core/kit.ts'
import { fakeUpstream, testGateway, type FakeUpstream, type TestGateway } from '../../../core/testing/index.ts'
import vertex from '../../../plugins/providers/vertex/index.ts'
import { readCredentials } from '../../../plugins/providers/vertex/credentials.ts'
import { googleClient } from '../../../plugins/providers/vertex/google-client.ts'
import { googleToken } from '../../../plugins/providers/vertex/google-token.ts'
import { hostOf } from '../../../plugins/providers/vertex/location.ts'
import { FakeGoogle } from '../../kit/fake-google.ts'
import { basics } from '../../kit/gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'vertex-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const answer = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
}
const message = {
  type: 'message',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
}

interface Stage {
  readonly google: FakeGoogle
  readonly platform: FakeUpstream
  readonly gateway: TestGateway
  ask(model: string, more?: object): Promise<Response>
}

type Credentials = NonNullable<Parameters<typeof vertex>[0]['credentials']>

async function stage(
  t: { teardown(run: () => Promise<void>): unknown },
  credentialsOf: (google: FakeGoogle) => Credentials,
  options: object = {},
): Promise<Stage> {
  const google = await FakeGoogle.start()
  const platform = await fakeUpstream(({ url }) => ({
    headers: { 'content-type': url.includes('stream') ? 'text/event-stream' : 'application/json' },
    body: url.includes(':streamGenerateContent')
      ? `data: ${JSON.stringify(answer)}\r\n\r\n`
      : JSON.stringify(url.includes('anthropic') ? message : answer),
  }))
  const plugin = vertex({
    credentials: credentialsOf(google),
    location: 'europe-west4',
    baseUrl: platform.url,
    tokenUrl: `${google.url}/token`,
    ...options,
  })
  const gateway = await testGateway({ plugins: [...basics(), plugin] })
  t.teardown(async () => {
    await gateway.stop()
    await platform.close()
    await google.close()
  })
  const ask: Stage['ask'] = (model, more) => gateway.request('/v1/responses', { body: { model, input: 'Hi', ...more } })
  return { google, platform, gateway, ask }
}

/** The token of these credentials alone, without a gateway. */
function tokenOf(option: Credentials, tokenUrl?: string): RenewedCredential<Readonly<Record<string, string>>> {
  const credentials = readCredentials(option)
  return googleToken(
    () => googleClient(credentials, tokenUrl),
    systemClock,
    () => {},
  )
}

function serviceAccount(google: FakeGoogle): Credentials {
  return { json: JSON.stringify(google.serviceAccount) }
}

t.test('a service account signs for its token, which is asked for once', async t => {
  const { google, platform, ask } = await stage(t, serviceAccount)
  t.equal(google.grants.length, 0, 'nothing is asked before the first request')
  const replies = await Promise.all([ask('vertex/gemini-2.5-flash'), ask('vertex/gemini-2.5-flash', { stream: true })])
  t.strictSame(
    replies.map(({ status }) => status),
    [200, 200],
  )
  t.match(await replies[0]!.json(), { status: 'completed', output: [{ type: 'message' }] })
  await replies[1]!.text()
  t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.equal(google.grants.length, 1, 'those who wait share a token, and it is kept')
  t.match(google.grants[0], {
    path: '/token',
    form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' },
    claims: { iss: 'gateway@demo-project.iam.gserviceaccount.com', scope: 'https://www.googleapis.com/auth/cloud-platform' },
  })
  const root = '/v1/projects/demo-project/locations/europe-west4/publishers/google/models/gemini-2.5-flash'
  t.strictSame(
    new Set(platform.requests.map(({ url }) => url)),
    new Set([`${root}:generateContent`, `${root}:streamGenerateContent?alt=sse`]),
  )
  for (const { headers } of platform.requests) t.equal(headers.authorization, 'Bearer ya29.demo-1')
  t.notHas(platform.requests[0]!.body, { store: false }, 'the platform does not know store')
})

t.test('a token that is about to expire is replaced', async t => {
  const { google, platform, ask } = await stage(t, serviceAccount)
  google.expiresInSeconds = 5
  for (let count = 0; count < 2; count++) t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.strictSame(
    platform.requests.map(({ headers }) => headers.authorization),
    ['Bearer ya29.demo-1', 'Bearer ya29.demo-2'],
  )
})

t.test('Claude is asked in its own dialect: the model in the address, the version in the body', async t => {
  const { platform, ask } = await stage(t, serviceAccount, { project: 'other-project', id: 'cloud' })
  t.equal((await ask('cloud/claude-sonnet-4-5@20250929')).status, 200)
  const { url, headers, body } = platform.requests[0]!
  t.equal(url, '/v1/projects/other-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict')
  t.match(body, { anthropic_version: 'vertex-2023-10-16', messages: [{ role: 'user' }] })
  t.notHas(body as object, 'model')
  t.notOk(Object.keys(headers).some(name => name.startsWith('anthropic')))
  await (await ask('cloud/claude-sonnet-4-5@20250929', { stream: true })).text()
  t.match(platform.requests[1]!.url, /:streamRawPredict$/)
  t.match(platform.requests[1]!.body, { stream: true })
})

t.test("refused credentials are the operator's affair", async t => {
  const { google, platform, ask } = await stage(t, serviceAccount)
  google.refusals.push({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature for gateway@demo-project.' },
  })
  const response = await ask('vertex/gemini-2.5-flash')
  t.equal(response.status, 424)
  const text = await response.text()
  t.match(text, /refused the gateway's credentials/)
  t.notMatch(text, /demo-project|invalid_grant|PRIVATE KEY/)
  t.equal(platform.requests.length, 0)
})

t.test('a workload identity exchanges what its file holds', async t => {
  const subject = join(folder, 'subject-token')
  writeFileSync(subject, 'subject-token-demo')
  const file = join(folder, 'workload.json')
  const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/demo/providers/demo'
  const configuration = {
    type: 'external_account',
    audience,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: { file: subject },
  }
  writeFileSync(file, JSON.stringify(configuration))
  const { google, platform, ask } = await stage(t, () => ({ file }), { project: 'demo-project' })
  t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.match(google.grants, [{ form: { audience, subject_token: 'subject-token-demo', grant_type: /token-exchange/ } }])
  t.equal(platform.requests[0]!.headers.authorization, 'Bearer ya29.demo-1')
})

t.test('the metadata server is asked where it is chosen', async t => {
  const google = await FakeGoogle.start()
  t.teardown(() => google.close())
  t.intercept(process, 'env', { value: { ...process.env, GCE_METADATA_HOST: google.host } })
  const headers = await tokenOf({ source: 'metadata' }).value(new AbortController().signal)
  t.equal(headers['authorization'], 'Bearer ya29.demo-1')
  t.match(google.grants[0]!.path, /^\/computeMetadata\/v1\/instance\/service-accounts\/default\/token/)
})

t.test('a request that is given up waits for no token', async t => {
  const google = await FakeGoogle.start()
  const credentials = { json: JSON.stringify(google.serviceAccount) }
  const token = tokenOf(credentials, `${google.url}/token`)
  const given = new AbortController()
  const waiting = Promise.resolve(token.value(given.signal))
  given.abort(new Error('given up'))
  await t.rejects(waiting, { message: 'given up' })
  t.throws(() => token.value(given.signal), { message: 'given up' })
  const unreachable = tokenOf(credentials, `${google.url}/token`)
  await google.close()
  t.match(await failureOf(unreachable.value(new AbortController().signal)), { kind: 'network' })
  const broken = await FakeGoogle.start()
  t.teardown(() => broken.close())
  // The library tries again three times.
  broken.refusals.push(...Array.from({ length: 4 }, () => ({ status: 503, body: {} })))
  const down = tokenOf({ json: JSON.stringify(broken.serviceAccount) }, `${broken.url}/token`)
  t.match(await failureOf(down.value(new AbortController().signal)), { kind: 'unavailable', message: /status 503/ })
})

function failureOf(result: unknown): Promise<unknown> {
  return Promise.resolve(result).then(
    () => undefined,
    (error: unknown) => error,
  )
}

t.test('a user signs in by the token that gcloud left', async t => {
  const user = {
    type: 'authorized_user',
    client_id: 'demo',
    client_secret: 'demo',
    refresh_token: 'demo',
    quota_project_id: 'demo-project',
  }
  const { google, platform, ask } = await stage(t, () => ({ json: JSON.stringify(user) }))
  t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.match(google.grants, [{ form: { grant_type: 'refresh_token', refresh_token: 'demo' } }])
  t.match(platform.requests[0]!.headers, { authorization: 'Bearer ya29.demo-1', 'x-goog-user-project': 'demo-project' })
})

t.test('an impersonated service account is asked for with the token of another', async t => {
  t.intercept(console, 'warn', { value: () => {} })
  const subject = join(folder, 'source-token')
  writeFileSync(subject, 'source-token-demo')
  const { google, platform, ask } = await stage(
    t,
    ({ url }) => ({
      json: JSON.stringify({
        type: 'impersonated_service_account',
        service_account_impersonation_url: `${url}/v1/projects/-/serviceAccounts/target@example.com:generateAccessToken`,
        endpoint: url,
        source_credentials: {
          type: 'external_account',
          audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/demo/providers/demo',
          subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
          token_url: `${url}/v1/token`,
          credential_source: { file: subject },
        },
      }),
    }),
    { project: 'demo-project' },
  )
  t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.match(google.grants, [
    { path: '/v1/token', form: { subject_token: 'source-token-demo' } },
    { path: '/v1/projects/-/serviceAccounts/target@example.com:generateAccessToken', authorization: 'Bearer ya29.demo-1' },
  ])
  t.equal(platform.requests[0]!.headers.authorization, 'Bearer ya29.demo-2')
})

t.test("without a file the machine's own account is found, and its project", async t => {
  const google = await FakeGoogle.start()
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...env } = process.env
  t.intercept(process, 'env', { value: { ...env, CLOUDSDK_CONFIG: join(folder, 'nothing'), PATH: '', GCE_METADATA_HOST: google.host } })
  const { platform, ask } = await stage(t, () => ({}), { tokenUrl: undefined })
  t.teardown(() => google.close())
  t.equal((await ask('vertex/gemini-2.5-flash')).status, 200)
  t.match(platform.requests[0], { url: /^\/v1\/projects\/metadata-project\//, headers: { authorization: /^Bearer ya29\.demo-/ } })
})

t.test("application default credentials are found where Google's tools leave them", t => {
  const file = join(folder, 'application_default_credentials.json')
  const user = {
    type: 'authorized_user',
    client_id: 'demo',
    client_secret: 'demo',
    refresh_token: 'demo',
    quota_project_id: 'demo-project',
  }
  writeFileSync(file, JSON.stringify(user))
  const { GOOGLE_APPLICATION_CREDENTIALS: _, ...env } = process.env
  t.intercept(process, 'env', { value: { ...env, CLOUDSDK_CONFIG: folder } })
  t.match(readCredentials({}), { project: 'demo-project', configuration: { type: 'authorized_user' } })
  t.intercept(process, 'env', { value: { ...env, GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'absent.json') } })
  t.throws(() => readCredentials({}), {
    message: /absent\.json \(ENOENT\)\. Run "gcloud auth application-default login"/,
  })
  t.end()
})

t.test('credentials that cannot work end the start with one sentence', async t => {
  const started = (credentials: Credentials): Promise<unknown> => testGateway({ plugins: [...basics(), vertex({ credentials })] })
  await t.rejects(started({ file: join(folder, 'absent.json') }), {
    message: /^plugin vertex\(vertex\) cannot read Google credentials from .*Check the option credentials\.file\.$/,
  })
  await t.rejects(started({ json: '{"private_key": secret' }), {
    message: 'plugin vertex(vertex) found Google credentials in credentials.json that are not JSON.',
  })
  await t.rejects(started({ json: '{}' }), { message: /no member "type"/ })
  await t.rejects(started({ json: '{"type":"demo_account"}' }), { message: /Known types: service_account, external_account/ })
  await t.rejects(started({ json: '{"type":"service_account","client_email":"a@example.com"}' }), {
    message: /credentials without private_key/,
  })
  await t.rejects(started({ source: 'metadata' }), { message: /needs the option project, because its credentials do not name one/ })
})

t.test('the library is loaded when the first token is needed', async t => {
  const program = `
    import Module from 'node:module'
    import vertex from './plugins/providers/vertex/index.ts'
    const credentials = { json: JSON.stringify({ type: 'service_account', client_email: 'a@example.com', private_key: 'none' }) }
    let provider
    await vertex({}).plugin.setup({ name: 'vertex', http: { send() {} }, add: (_, added) => (provider = added) }, { id: 'vertex', project: 'demo', location: 'global', credentials }, { clock: { now: Date.now } })
    const loaded = () => Object.keys(Module._cache).some(path => path.includes('google-auth-library'))
    const before = loaded()
    const call = { request: { model: 'gemini-2.5-flash', input: [] }, endpoint: { upstreamModel: 'gemini-2.5-flash', model: '', capabilities: {} }, signal: new AbortController().signal }
    await provider.generate(call)[Symbol.asyncIterator]().next().catch(() => {})
    console.log(JSON.stringify([before, loaded()]))`
  const node = [process.execPath, '--conditions=turnpike-source', '--input-type=module', '--eval', program] as const
  const { stdout } = await promisify(execFile)(node[0], node.slice(1), { cwd: join(import.meta.dirname, '../../..') })
  t.equal(stdout.trim(), '[false,true]')
})

t.test('each location has its host', t => {
  t.equal(hostOf('global'), 'https://aiplatform.googleapis.com')
  t.equal(hostOf('eu'), 'https://aiplatform.eu.rep.googleapis.com')
  t.equal(hostOf('europe-west4'), 'https://europe-west4-aiplatform.googleapis.com')
  t.end()
})

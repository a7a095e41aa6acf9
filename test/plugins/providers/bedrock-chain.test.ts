import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeUpstream, type FakeReply, type FakeUpstream, type ReceivedRequest } from '../../../core/testing/index.ts'
import bedrock from '../../../plugins/providers/bedrock/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'
import { awsEnvironment } from './aws-environment.ts'
import { fakeBedrock, region, type Keys } from './bedrock-fake.ts'

const model = 'bedrock/us.amazon.nova-lite-v1:0'
const lasting: Keys = { accessKeyId: 'AKIADEMO1', secretAccessKey: 'demo-lasting-secret' }
const granted: Keys = { accessKeyId: 'ASIADEMO2', secretAccessKey: 'demo/granted+secret', sessionToken: 'demo-session-token' }
const roleArn = 'arn:aws:iam::123456789012:role/demo'
const hourMs = 3_600_000

/** AWS's token service, the portal of single sign-on, and the metadata of a container and an instance, in one. */
interface FakeAws extends Pick<FakeUpstream, 'url' | 'requests'> {
  /** The names of the requests for credentials. */
  readonly asked: readonly string[]
}

async function fakeAws(t: Test): Promise<FakeAws> {
  const asked: string[] = []
  const fake = await fakeUpstream(received => {
    const [name, reply] = answer(received)
    if (name !== undefined) asked.push(name)
    return reply
  })
  t.teardown(() => fake.close())
  return { url: fake.url, requests: fake.requests, asked }
}

function answer({ url, method, text, headers }: ReceivedRequest): readonly [asked: string | undefined, reply: FakeReply] {
  const expiration = new Date(Date.now() + hourMs)
  const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = granted
  const json = (value: object): FakeReply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })
  const action = new URLSearchParams(text).get('Action')
  if (action) return [action, { headers: { 'content-type': 'text/xml' }, body: assumed(action, expiration) }]
  if (url.startsWith('/federation/credentials') && headers['x-amz-sso_bearer_token'] === 'demo-sso-token')
    return ['sso', json({ roleCredentials: { ...granted, expiration: expiration.getTime() } })]
  if (url === '/container' && headers.authorization === 'demo-container-token')
    return ['container', json({ AccessKeyId, SecretAccessKey, Token, Expiration: expiration.toISOString() })]
  if (url === '/latest/api/token' && method === 'PUT') return [undefined, { body: 'demo-metadata-token' }]
  if (headers['x-aws-ec2-metadata-token'] !== 'demo-metadata-token') return [undefined, { status: 401, body: '' }]
  if (url.endsWith('/security-credentials/')) return [undefined, { body: 'demo-role' }]
  return [
    'instance',
    json({ Code: 'Success', Type: 'AWS-HMAC', AccessKeyId, SecretAccessKey, Token, Expiration: expiration.toISOString() }),
  ]
}

function assumed(action: string, expiration: Date): string {
  const { accessKeyId, secretAccessKey, sessionToken } = granted
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>
    <AssumedRoleUser><AssumedRoleId>AROADEMO:demo</AssumedRoleId><Arn>arn:aws:sts::123456789012:assumed-role/demo/demo</Arn></AssumedRoleUser>
    <Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
    <SessionToken>${sessionToken}</SessionToken><Expiration>${expiration.toISOString()}</Expiration></Credentials>
    </${action}Result><ResponseMetadata><RequestId>demo</RequestId></ResponseMetadata></${action}Response>`
}

interface Stage {
  readonly under: GatewayUnderTest
  readonly upstream: FakeUpstream
  readonly clock: FakeClock
  ask(): Promise<number>
}

/** A gateway in front of a Bedrock that checks every signature. */
async function stage(t: Test, options: Parameters<typeof bedrock>[0]): Promise<Stage> {
  const clock = new FakeClock(Date.now())
  const upstream = await fakeBedrock({ keys: [lasting, granted], now: () => clock.now() })
  const under = await gateway({ plugins: [bedrock({ region, baseUrl: upstream.url, ...options })], clock })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
  })
  const ask = async (): Promise<number> => {
    const reply = await under.request('/v1/responses', { method: 'POST', body: { model, input: 'Hello' } })
    await reply.text()
    return reply.status
  }
  return { under, upstream, clock, ask }
}

interface Files {
  readonly config?: string
  readonly credentials?: string
}

/** Nothing of AWS is there but these variables and files. */
function machine(t: Test, variables: Readonly<Record<string, string>>, { config = '', credentials = '' }: Files = {}): string {
  const folder = t.testdir({ '.aws': { config, credentials } })
  awsEnvironment(t, {
    HOME: folder,
    AWS_CONFIG_FILE: join(folder, '.aws', 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, '.aws', 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
    ...variables,
  })
  return folder
}

const credentials = `[base]\naws_access_key_id = ${lasting.accessKeyId}\naws_secret_access_key = ${lasting.secretAccessKey}\n`

t.test('a profile that assumes a role by the keys of another', async t => {
  const aws = await fakeAws(t)
  machine(
    t,
    { AWS_ENDPOINT_URL_STS: aws.url },
    { credentials, config: `[profile demo]\nrole_arn = ${roleArn}\nsource_profile = base\nregion = ${region}\n` },
  )
  const { under, upstream, clock, ask } = await stage(t, { profile: 'demo' })
  t.equal(aws.asked.length, 0, 'nothing is asked before the first request')
  t.strictSame(await Promise.all([ask(), ask(), ask()]), [200, 200, 200])
  t.strictSame(aws.asked, ['AssumeRole'], 'one question for all who wait')
  t.match(aws.requests[0]!.headers.authorization, /Credential=AKIADEMO1\//, 'signed with the keys of the other profile')
  t.match(Object.fromEntries(new URLSearchParams(aws.requests[0]!.text)), { RoleArn: roleArn })
  t.match(upstream.requests[0]!.headers, { authorization: /Credential=ASIADEMO2\//, 'x-amz-security-token': granted.sessionToken })
  under.gateway.log.info(`${granted.secretAccessKey} ${granted.sessionToken}`)
  t.notMatch(under.logs.join(), /demo\/granted|demo-session-token/)
  clock.pass(2 * hourMs)
  under.gateway.log.info(`after its end: ${granted.sessionToken}`)
  t.match(under.logs.join(), /after its end: demo-session-token/, 'what has expired needs no mask')
})

t.test('a role that may not be assumed is the affair of the operator', async t => {
  const aws = await fakeUpstream(() => ({
    status: 403,
    headers: { 'content-type': 'text/xml' },
    body: '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>demo-user may not assume demo</Message></Error></ErrorResponse>',
  }))
  t.teardown(() => aws.close())
  machine(t, { AWS_ENDPOINT_URL_STS: aws.url }, { credentials, config: `[profile demo]\nrole_arn = ${roleArn}\nsource_profile = base\n` })
  const { under, ask } = await stage(t, { profile: 'demo' })
  const reply = await under.request('/v1/responses', { method: 'POST', body: { model, input: 'Hello' } })
  t.equal(reply.status, 424)
  t.notMatch(await reply.text(), /demo-user/)
  t.equal(await ask(), 424)
})

t.test('a profile of single sign-on', async t => {
  const aws = await fakeAws(t)
  const startUrl = 'https://demo.awsapps.com/start'
  const account = `sso_start_url = ${startUrl}\nsso_region = ${region}\nsso_account_id = 123456789012\nsso_role_name = Demo\n`
  const folder = machine(t, { AWS_ENDPOINT_URL_SSO: aws.url }, { config: `[profile demo]\n${account}` })
  const cache = join(folder, '.aws', 'sso', 'cache')
  mkdirSync(cache, { recursive: true })
  const { ask } = await stage(t, { profile: 'demo' })
  t.equal(await ask(), 424, 'nobody has logged in')
  const file = join(cache, `${createHash('sha1').update(startUrl).digest('hex')}.json`)
  writeFileSync(file, JSON.stringify({ startUrl, region, accessToken: 'demo-sso-token', expiresAt: new Date(Date.now() + hourMs) }))
  const again = await stage(t, { profile: 'demo' })
  t.equal(await again.ask(), 200)
  t.strictSame(aws.asked, ['sso'])
})

t.test('a profile with a process', async t => {
  const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = granted
  const answer = { Version: 1, AccessKeyId, SecretAccessKey, SessionToken, Expiration: new Date(Date.now() + hourMs) }
  const script = join(t.testdir({ 'keys.js': `console.log(${JSON.stringify(JSON.stringify(answer))})` }), 'keys.js')
  await t.test('runs it', async t => {
    machine(t, {}, { config: `[profile demo]\ncredential_process = "${process.execPath}" "${script}"\n` })
    const { ask } = await stage(t, { profile: 'demo' })
    t.equal(await ask(), 200)
  })
})

t.test('the web identity of a cluster, which the environment names', async t => {
  const aws = await fakeAws(t)
  const tokenFile = join(t.testdir({ token: 'demo-web-token' }), 'token')
  await t.test('is exchanged', async t => {
    machine(t, { AWS_ENDPOINT_URL_STS: aws.url, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn })
    const { ask } = await stage(t, {})
    t.equal(await ask(), 200)
    t.strictSame(aws.asked, ['AssumeRoleWithWebIdentity'])
    t.match(Object.fromEntries(new URLSearchParams(aws.requests[0]!.text)), { RoleArn: roleArn, WebIdentityToken: 'demo-web-token' })
  })
})

t.test('the role of a container, which the environment names', async t => {
  const aws = await fakeAws(t)
  machine(t, {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'demo-container-token',
  })
  const { ask } = await stage(t, {})
  t.equal(await ask(), 200)
  t.strictSame(aws.asked, ['container'])
})

t.test('the role of an instance, where the option asks for it', async t => {
  const aws = await fakeAws(t)
  machine(t, { AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url })
  await t.rejects(gateway({ plugins: [bedrock({ region })] }), { message: /has no credentials: set the option apiKey.*defaultChain/ })
  const { ask } = await stage(t, { defaultChain: true })
  t.equal(await ask(), 200)
  t.strictSame(aws.asked, ['instance'])
})

t.test('a chain that finds nothing fails like a key that is refused', async t => {
  machine(t, {})
  const { ask } = await stage(t, { defaultChain: true })
  t.equal(await ask(), 424)
})

t.test('the default profile tells the region of the chain', async t => {
  machine(t, {}, { credentials: credentials.replace('base', 'default'), config: `[default]\nregion = ${region}\n` })
  const { upstream, ask } = await stage(t, { defaultChain: true, region: undefined as never })
  t.equal(await ask(), 200)
  t.match(upstream.requests[0]!.headers.authorization, new RegExp(`/${region}/bedrock/`))
})

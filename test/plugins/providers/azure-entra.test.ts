import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeUpstream, type FakeUpstream } from '../../../core/testing/index.ts'
import azure from '../../../plugins/providers/azure/index.ts'
import { certificateFile, FakeEntra, isSignedByCertificate } from '../../kit/fake-entra.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { FakeClock } from '../../kit/set-up.ts'

type Entra = NonNullable<Parameters<typeof azure>[0]['entra']>

const application = { tenantId: 'demo-tenant', clientId: 'demo-client' }
const scope = 'https://cognitiveservices.azure.com/.default'
const hourMs = 3_600_000

/** The variables of Azure's tools, for this test alone. */
function environment(t: Test, given: Readonly<Record<string, string>>): void {
  const own = Object.entries(process.env).filter(([name]) => !/^(AZURE|IDENTITY|MSI|IMDS)_/.test(name))
  t.intercept(process, 'env', { value: { ...Object.fromEntries(own), ...given } })
}

interface Stage {
  readonly entra: FakeEntra
  readonly upstream: FakeUpstream
  readonly under: GatewayUnderTest
  readonly clock: FakeClock
  ask(): Promise<Response>
}

async function stage(t: Test, entraOf: (entra: FakeEntra) => Entra, given?: FakeEntra): Promise<Stage> {
  const entra = given ?? (await FakeEntra.start())
  const answer = { model: 'demo', choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] }
  const upstream = await fakeUpstream(() => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }))
  const clock = new FakeClock(Date.now())
  const under = await gateway({ plugins: [azure({ baseUrl: upstream.url, api: 'chat', entra: entraOf(entra) })], clock })
  t.teardown(async () => {
    await under.stop()
    await upstream.close()
    await entra.close()
  })
  const ask = (): Promise<Response> => under.request('/v1/responses', { body: { model: 'azure/gpt-4o', input: 'Hi' } })
  return { entra, upstream, under, clock, ask }
}

t.test('a secret: its token is asked for once, kept, and masked while it is good', async t => {
  environment(t, {})
  const { entra, upstream, under, clock, ask } = await stage(t, ({ authority }) => ({
    ...application,
    clientSecret: 'demo-secret',
    authority,
  }))
  t.equal(entra.requests.length, 0, 'nothing is asked before the first request')
  for (const reply of await Promise.all([ask(), ask()])) t.equal(reply.status, 200)
  t.equal((await ask()).status, 200)
  t.equal(entra.requests.length, 1, 'once for all who wait')
  t.match(entra.requests[0], {
    path: '/demo-tenant/oauth2/v2.0/token',
    form: { grant_type: 'client_credentials', client_id: 'demo-client', client_secret: 'demo-secret', scope: new RegExp(scope) },
  })
  for (const { headers } of upstream.requests) t.match(headers, { authorization: 'Bearer demo-token-1', 'api-key': undefined })
  under.gateway.log.info('while it is good: demo-token-1')
  t.notMatch(under.logs.join(), /demo-token-1|demo-secret/)
  clock.pass(2 * hourMs)
  under.gateway.log.info('after its end: demo-token-1')
  t.match(under.logs.join(), /after its end: demo-token-1/)
})

t.test('a certificate, as text and as a file', async t => {
  environment(t, {})
  for (const proof of [{ certificate: readFileSync(certificateFile, 'utf8') }, { certificateFile }]) {
    const { entra, ask } = await stage(t, ({ authority }) => ({ ...application, ...proof, authority }))
    t.equal((await ask()).status, 200)
    const { client_assertion: assertion = '', ...form } = entra.requests[0]!.form
    t.match(form, { grant_type: 'client_credentials', client_assertion_type: /jwt-bearer/ })
    t.ok(isSignedByCertificate(assertion))
  }
})

t.test('a workload identity, by the options and by the environment', async t => {
  const tokenFile = join(t.testdir({ token: 'demo-federated-token' }), 'token')
  const authorityVariable = (entra: FakeEntra): Entra => {
    process.env['AZURE_AUTHORITY_HOST'] = entra.authority
    return {}
  }
  environment(t, {})
  const byOptions = await stage(t, ({ authority }) => ({ ...application, tokenFile, authority }))
  environment(t, { AZURE_TENANT_ID: 'demo-tenant', AZURE_CLIENT_ID: 'demo-client', AZURE_FEDERATED_TOKEN_FILE: tokenFile })
  const byBoth = await stage(t, ({ authority }) => ({ tokenFile, authority }))
  const byEnvironment = await stage(t, authorityVariable)
  for (const { entra, ask } of [byOptions, byBoth, byEnvironment]) {
    t.equal((await ask()).status, 200)
    t.match(entra.requests[0]!.form, { client_id: 'demo-client', client_assertion: 'demo-federated-token' })
  }
})

t.test('the identity of a machine, its own and one that was assigned', async t => {
  // The library remembers for the life of the process where it found the endpoint.
  const machine = await FakeEntra.start()
  environment(t, { IDENTITY_ENDPOINT: machine.identityEndpoint, IDENTITY_HEADER: 'demo-header' })
  const [own, assigned] = [
    await stage(t, () => ({ managedIdentity: true }), machine),
    await stage(t, () => ({ managedIdentity: true, clientId: 'demo-client' }), machine),
  ]
  for (const { ask } of [own, assigned]) t.equal((await ask()).status, 200)
  t.match(machine.requests, [{ headers: { 'x-identity-header': 'demo-header' } }, { path: /client_id=demo-client/ }])
  t.match(machine.requests[0]!.path, /resource=https%3A%2F%2Fcognitiveservices\.azure\.com/)
  t.notMatch(machine.requests[0]!.path, /client_id/)
  t.equal(own.upstream.requests[0]!.headers.authorization, 'Bearer demo-token-1')
  t.equal(assigned.upstream.requests[0]!.headers.authorization, 'Bearer demo-token-2')
})

t.test('a token that is not granted', async t => {
  environment(t, {})
  const { entra, under, upstream, ask } = await stage(t, ({ authority }) => ({ ...application, clientSecret: 'demo-secret', authority }))
  entra.refusals.push({
    status: 401,
    body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided for demo-client.' },
  })
  const reply = await ask()
  t.equal(reply.status, 424)
  t.notMatch(await reply.text(), /AADSTS|demo-client/)
  t.equal(upstream.requests.length, 0)
  t.notMatch(under.logs.join(), /demo-secret/)
})

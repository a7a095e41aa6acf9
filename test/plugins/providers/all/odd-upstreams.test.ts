import t from 'tap'
import type { JsonObject, RequestRecord } from '../../../../core/index.ts'
import { checkResponse, checkStream, fakeUpstream } from '../../../../core/testing/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { gateway } from '../../../kit/gateway.ts'
import { said } from '../../../kit/stage.ts'
import { chat } from './answers.ts'
import { everyProvider, secret, type ProviderUnderTest } from './every-provider.ts'
import { canary, longest, oddities, type Oddity } from './oddities.ts'

const google = await FakeGoogle.start()
// The clock below runs ahead.
google.expiresInSeconds = 100_000_000
const elsewhere = await fakeUpstream(() => ({ body: chat.whole }))
const providers = everyProvider(google)
let current: Scene | undefined
let asked = 0
let exchangesSoFar = 0
const upstream = await fakeUpstream(request => {
  asked++
  return current!.oddity.reply({ ...current!, request })
})
const under = await gateway({
  plugins: providers.map(({ name, plugin }) => plugin({ id: name, baseUrl: upstream.url })),
  settings: { logLevel: 'debug' },
  // So long that what an earlier exchange left behind is forgotten.
  clock: { now: () => Date.now() + exchangesSoFar * 60_000, elapsed: () => performance.now() },
})
t.teardown(() => Promise.all([under.stop(), upstream.close(), elsewhere.close(), google.close()]))

for (const provider of providers) {
  t.test(provider.name, async t => {
    const exchanges: Exchange[] = []
    for (const [name, oddity] of Object.entries(oddities(elsewhere.url))) {
      for (const stream of [false, true]) {
        if (oddity.applies?.(provider, stream) !== false)
          exchanges.push(await exchange(`${name}, ${stream ? 'streamed' : 'whole'}`, { provider, stream, oddity }))
      }
    }
    for (const each of exchanges) t.same(problemsOf(each, await under.record(each.id)), [], each.name)
  })
}

t.test('no credential went elsewhere, and nothing that a vendor said or that is secret was logged', async t => {
  t.same(elsewhere.requests, [])
  const told = under.logs.join('\n')
  t.notOk(told.includes(canary), 'content')
  t.notOk(told.includes(secret.slice(0, 10)) || told.includes('ya29.demo'), 'secrets')
  t.ok(told.includes('an attempt failed'), 'there are logs')
})

interface Scene {
  readonly provider: ProviderUnderTest
  readonly stream: boolean
  readonly oddity: Oddity
}

interface Exchange {
  readonly name: string
  readonly scene: Scene
  readonly id: string
  readonly status: number
  readonly shouldRetry: string | null
  readonly text: string
  /** How often the vendor was asked. */
  readonly asked: number
}

async function exchange(name: string, scene: Scene): Promise<Exchange> {
  current = scene
  asked = 0
  exchangesSoFar++
  const { provider, stream } = scene
  const reply = await under.request('/v1/responses', { body: { model: `${provider.name}/${provider.model}`, input: 'hi', stream } })
  const { status, headers } = reply
  const text = await reply.text()
  return { name, scene, id: headers.get('x-request-id')!, status, shouldRetry: headers.get('x-should-retry'), text, asked }
}

function problemsOf({ scene, id, status, shouldRetry, text, asked }: Exchange, record: RequestRecord): readonly string[] {
  const { provider, stream, oddity } = scene
  // A package does not report the parts of a stream that it did not understand.
  const hidden = provider.bridged && stream
  const attempts = (oddity.passes === 'varies' || hidden ? shouldRetry === 'true' : oddity.passes) ? 3 : 1
  const problems: string[] = []
  const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem))
  const isBroken = oddity.status === 'broken'
  const expected = isBroken && status === 200 ? 200 : oddity.status === 200 ? 200 : 424
  expect(status === expected, `status ${status}: ${text.slice(0, 500)}`)
  expect(
    asked === record.attempts.length && (isBroken || asked === attempts),
    `${asked} times asked, ${record.attempts.length} attempts recorded`,
  )
  expect(record.status === status, `the record has status ${record.status}`)
  expect(!text.includes(secret.slice(0, 10)) && !text.includes('ya29.demo'), `a secret is told: ${text.slice(0, 500)}`)
  expect(under.records.filter(each => each.id === id).length === 1, 'there is not exactly one record')
  if (status === 200) {
    const response = stream ? checkStream(text).response : checkResponse(JSON.parse(text))
    if (isBroken) expect(response.status === 'failed' && record.errorCode === 'provider_error', `a broken stream is ${response.status}`)
    else expect(said(response) === 'Hello.' && response.status === 'completed', `it says ${said(response)}`)
    expect(isBroken || record.usage?.output === 2, `it counts ${record.usage?.output} tokens of output`)
    return problems
  }
  expect(shouldRetry === String(asked > 1), `x-should-retry is ${shouldRetry}`)
  const { error } = JSON.parse(text) as { readonly error: JsonObject }
  const payload = error['upstream_error']
  expect(error['code'] === 'provider_error' && error['type'] === 'provider_error', `code ${error['code']}, type ${error['type']}`)
  expect(record.errorCode === 'provider_error', `the record says ${record.errorCode}`)
  expect(typeof error['message'] === 'string' && error['message'].length <= longest, 'there is no message of a reasonable length')
  const shown = isBroken || hidden || (provider.bridged && payload === undefined) ? false : (oddity.shown ?? true)
  expect(
    !shown || (typeof payload === 'string' && payload !== '' && payload.length <= longest),
    `the payload: ${String(payload).slice(0, 300)}`,
  )
  return problems
}

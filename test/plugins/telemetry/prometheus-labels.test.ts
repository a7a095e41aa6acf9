import t from 'tap'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { hello, gateway, saying } from '../../kit/gateway.ts'
import { listing } from '../../kit/stage.ts'
import { call, observerOf } from './observing.ts'
import { scrape } from '../../kit/scraped.ts'

const many = 100_000
const twoMegabytes = 2_000_000
const labels = ['org', 'team', 'key'] as const

/** Values of a label in a scrape. */
function valuesOf(label: string, text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g')), ([, value]) => value!))
}

t.test('names that callers make up are no labels, however many they are', async t => {
  const { plugin, observer } = observerOf()
  const under = await gateway({
    plugins: [
      saying('acme', hello),
      listing({ model: 'small', endpoints: [{ provider: 'acme' }] }),
      plugin,
      prometheus({ open: true, labels: [...labels] }),
    ],
  })
  t.teardown(under.stop)
  for (let index = 0; index < many; index++) {
    const made = `made-up-${index}`
    call(
      observer(),
      [
        { provider: 'acme', model: made, isListed: false },
        { provider: 'acme', model: null, isListed: false },
      ],
      {
        model: made,
        isListed: false,
        // Of a request with a key that nobody issued.
        keyId: null,
        org: null,
        team: null,
        errorCode: index % 3 ? null : `${made} "quoted"`,
        surface: 'responses',
      },
    )
  }
  call(observer(), [{ provider: 'acme', model: 'small' }])
  const { text, series } = await scrape(under)
  t.ok(Buffer.byteLength(text) < twoMegabytes / 10, `${text.length} bytes`)
  t.notMatch(text, /made-up/)
  t.same([...valuesOf('model', text)].sort(), ['other', 'small'])
  t.same([...valuesOf('provider', text)].sort(), ['acme', 'sandbox'])
  t.equal(series.get('turnpike_attempts_total{provider="acme",model="other",outcome="ok"}'), many * 2)
  t.equal(series.get('turnpike_attempts_total{provider="acme",model="small",outcome="ok"}'), 1)
  t.same([...valuesOf('key', text)], ['demo-key'])
})

t.test('of what the operator named, the first values have series, and the others share one', async t => {
  const { plugin, observer } = observerOf()
  const models = Array.from({ length: 300 }, (_, index) => `model-${index}`)
  const listed = models.map(model => ({ model, endpoints: [{ provider: 'acme' }, { provider: 'globex' }] }))
  const under = await gateway({
    plugins: [saying('acme', hello), saying('globex', hello), listing(...listed), plugin, prometheus({ open: true, labels: [...labels] })],
  })
  t.teardown(under.stop)
  for (let round = 0; round < 2; round++)
    for (const [index, model] of models.entries()) {
      const owner = { keyId: `key-${index}`, org: `org-${index}`, team: `team-${index}` }
      const outcomes = ['ok', 'unavailable', 'timeout', 'rate-limit', 'left']
      call(
        observer(),
        outcomes.map(outcome => ({ provider: 'acme', model, outcome })),
        { ...owner, model },
      )
      call(observer(), [{ provider: 'globex', model }], { ...owner, provider: 'globex', model })
    }
  const { text, series } = await scrape(under)
  t.ok(Buffer.byteLength(text) < twoMegabytes, `${text.length} bytes`)
  t.equal(valuesOf('model', text).size, 101, 'a model at two providers counts twice, and `other` is one more')
  for (const label of labels) t.equal(valuesOf(label, text).size, 201)
  t.equal(series.get('turnpike_key_requests_total{key="key-0",status="2xx"}'), 4)
  t.equal(series.get('turnpike_key_requests_total{key="other",status="2xx"}'), 400)
  const sum = [...series].filter(([name]) => name.startsWith('turnpike_cost_usd_total')).reduce((total, [, value]) => total + value, 0)
  t.equal(sum, 1_200 * 0.25, 'nothing is lost')
  const warnings = under.logs.filter(line => line.includes('too many values'))
  t.same(warnings.map(line => JSON.parse(line).label).sort(), ['key', 'model', 'org', 'team'], 'the log says so once for each label')
})

t.test('names that are `other` make no series twice', async t => {
  const { plugin, observer } = observerOf()
  const under = await gateway({
    plugins: [
      saying('other', hello),
      saying('acme', hello),
      listing({ model: 'other', endpoints: [{ provider: 'acme' }, { provider: 'other' }] }),
      plugin,
      prometheus({ open: true, labels: [...labels] }),
    ],
  })
  t.teardown(under.stop)
  for (const provider of ['acme', 'other'])
    for (const isListed of [true, false])
      call(observer(), [{ provider, model: 'other', isListed }], { provider, model: 'other', isListed, keyId: 'other', org: 'other' })
  const { text, series } = await scrape(under)
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  t.equal(series.size, lines.length)
  t.equal(series.get('turnpike_attempts_total{provider="acme",model="other",outcome="ok"}'), 2)
  t.equal(series.get('turnpike_key_requests_total{key="other",status="2xx"}'), 4)
})

t.test('the number of values is an option', async t => {
  const { plugin, observer } = observerOf()
  const listed = ['a', 'b', 'c'].map(model => ({ model, endpoints: [{ provider: 'acme' }] }))
  const under = await gateway({ plugins: [saying('acme', hello), listing(...listed), plugin, prometheus({ open: true, maxValues: 2 })] })
  t.teardown(under.stop)
  for (const model of ['a', 'b', 'c', 'a']) call(observer(), [{ provider: 'acme', model }], { model })
  t.same([...valuesOf('model', (await scrape(under)).text)].sort(), ['a', 'b', 'other'])
})

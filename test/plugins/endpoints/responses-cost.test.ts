import t from 'tap'
import { ProviderFailure } from '../../../core/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, listing, stop, text, usage, witness, type Answer } from '../../kit/stage.ts'

const unavailable = (): ProviderFailure => new ProviderFailure({ kind: 'unavailable', message: 'overloaded' })
const costIn = ({ response }: Answer): unknown => (response.usage as Readonly<Record<string, unknown>>)['cost_usd']
const price = { input: 10_000, output: 20_000 }

t.test('the usage tells what the request cost, and is null where that is unknown', async t => {
  const answer = () => [text('Hello'), usage(3, 2), stop]
  const under = await gateway({
    plugins: [
      witness('acme', answer).plugin,
      witness('globex', answer).plugin,
      listing({ model: 'priced', endpoints: [{ provider: 'acme', price }] }, { model: 'unpriced', endpoints: [{ provider: 'globex' }] }),
    ],
  })
  t.teardown(under.stop)
  for (const stream of [false, true]) {
    const priced = await ask(under, { model: 'priced', stream })
    t.equal(costIn(priced), 0.07)
    t.equal((await under.record(priced.requestId)).costUsd, 0.07, 'as in the record')
    t.equal(costIn(await ask(under, { model: 'unpriced', stream })), null)
  }
})

t.test('the cost of failed attempts is part of it, and so is that of an answer that breaks off', async t => {
  const lost = witness('acme', function* () {
    yield usage(100, 0)
    throw unavailable()
  })
  const under = await gateway({
    plugins: [
      lost.plugin,
      witness('globex', () => [text('Hello'), usage(3, 2), stop]).plugin,
      witness('initech', function* () {
        yield text('Hel')
        yield usage(3, 1)
        throw unavailable()
      }).plugin,
      listing(
        { model: 'm', endpoints: ['acme', 'globex'].map(provider => ({ provider, price })) },
        { model: 'breaks', endpoints: [{ provider: 'initech', price }] },
      ),
    ],
  })
  t.teardown(under.stop)
  const served = await ask(under, { model: 'm' })
  const { costUsd } = await under.record(served.requestId)
  t.equal(lost.calls.length, 1)
  t.equal(costIn(served), costUsd)
  const broken = await ask(under, { model: 'breaks', stream: true })
  t.equal(broken.response.status, 'failed')
  t.equal(costIn(broken), (await under.record(broken.requestId)).costUsd)
  t.ok(costUsd! > 0.07 && Number(costIn(broken)) > 0)
})

import t from 'tap'
import { ProviderFailure, type GenerationEvent, type Provider, type ProviderCall } from '../../../core/index.ts'
import { gateway, hello, scripted } from '../../kit/gateway.ts'
import { ask, listing, text } from '../../kit/stage.ts'

type Owner = 'a' | 'b' | 'c'

const models = Array.from({ length: 12 }, (_, index) => `m${index}`)

/** A provider of twelve models, which fails the calls for which `isBroken`, another that answers, and the keys of three owners. */
async function stage(fail: (call: ProviderCall) => AsyncIterable<GenerationEvent>, more: Partial<Provider> = {}) {
  const at = { ms: 1_000_000 }
  const calls: ProviderCall[] = []
  const stage = { isBroken: (_call: ProviderCall): boolean => true }
  const acme = scripted(
    'acme',
    async function* (call) {
      calls.push(call)
      if (stage.isBroken(call)) yield* fail(call)
      else yield* hello
    },
    more,
  )
  const globex = scripted('globex', async function* () {
    yield* hello
  })
  const entries = [
    ...models.map(model => ({ model, endpoints: [{ provider: 'acme' }] })),
    { model: 'ok', endpoints: [{ provider: 'globex' }] },
  ]
  const under = await gateway({
    plugins: [acme, globex, listing(...entries)],
    settings: { logLevel: 'silent', retries: 0 },
    ...(!more.timeouts && { clock: { now: () => at.ms, elapsed: () => at.ms } }),
  })
  const keyOf = (owner: Owner): Promise<string> => under.gateway.issueKey({ name: owner, org: owner })
  const keys = { a: await keyOf('a'), b: await keyOf('b'), c: await keyOf('c') }
  /** Returns who answered. */
  const by = async (owner: Owner, model: string, body: object = {}): Promise<string | null> => {
    const routing = { model: { fallbacks: ['globex/ok'] } }
    const { headers } = await ask(under, { model, routing, ...body }, { authorization: `Bearer ${keys[owner]}` })
    return headers.get('x-gateway-provider')
  }
  const circuit = async (): Promise<unknown> =>
    (await under.gateway.providers()).find(({ id }) => id === 'acme')!.circuits.find(({ model }) => model === '*')
  return Object.assign(stage, { at, under, by, calls, circuit })
}

function throwing(failure: Omit<ConstructorParameters<typeof ProviderFailure>[0], 'message'>) {
  return async function* (): AsyncGenerator<GenerationEvent> {
    throw new ProviderFailure({ ...failure, message: 'no' })
  }
}

async function* page(): AsyncGenerator<GenerationEvent> {
  throw new ProviderFailure({ kind: 'protocol', message: 'A page came instead of a reply.' })
}

function saying(...events: readonly GenerationEvent[]) {
  return async function* ({ signal }: ProviderCall): AsyncGenerator<GenerationEvent> {
    yield* events
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
}

const isOdd = ({ request }: ProviderCall): boolean => JSON.stringify(request.input).includes('odd')
const odd = { input: 'odd' }

const brief = { timeouts: { firstEventMs: 20, betweenEventsMs: 20 } }

t.test('a provider whose models all break under a 200 is left by the requests of an owner', async t => {
  for (const [what, fail, more] of [
    ['a page', page],
    ['a head, then silence', throwing({ kind: 'timeout', progress: 'replied' })],
    ['a 504', throwing({ kind: 'timeout', status: 504 })],
    ['silence before the first word', saying(), brief],
    ['silence after the first word', saying(text('Hel')), brief],
  ] as const) {
    const { under, by, calls } = await stage(fail, more)
    for (let round = 0; round < 30; round++) await by('a', models[round % 12]!, { stream: true })
    t.equal(calls.length, 5, what)
    t.equal(await by('a', 'm11'), 'globex', `${what}: the others are whole replies, and no model is asked that was not`)
    t.equal(calls.length, 5, what)
    await under.stop()
  }
})

t.test("one owner's odd requests leave the provider to others", async t => {
  const under = await stage(page)
  t.teardown(under.under.stop)
  under.isBroken = isOdd
  for (let round = 0; round < 30; round++) await under.by('a', models[round % 12]!, odd)
  t.equal(under.calls.length, 5)
  t.equal(await under.by('a', 'm9'), 'globex')
  t.same([await under.by('b', 'm9'), await under.by('c', 'm0')], ['acme', 'acme'])
  t.equal(await under.circuit(), undefined)
  for (let round = 0; round < 12; round++) await under.by('a', 'acme/m9', { ...odd, routing: {} })
  t.equal(await under.by('b', 'm8'), 'acme', 'nor do they if the owner has nowhere else to go')
})

t.test('two owners show that a provider is broken for all', async t => {
  const { by, calls, circuit, under } = await stage(page)
  t.teardown(under.stop)
  for (const model of ['m0', 'm1', 'm2']) await by('a', model)
  await by('b', 'm3')
  t.equal(await circuit(), undefined)
  await by('b', 'm4')
  t.match(await circuit(), { state: 'open' })
  t.equal(await by('c', 'm5'), 'globex')
  t.equal(calls.length, 5)
})

t.test('one model, and names that are made up, say nothing about the others', async t => {
  for (const modelOf of [() => 'm0', (round: number) => `acme/made-up-${round}`]) {
    const { by, calls, under } = await stage(page)
    for (let round = 0; round < 30; round++) await by(round % 2 ? 'a' : 'b', modelOf(round))
    const before = calls.length
    await by('a', 'm5')
    t.equal(calls.length, before + 1)
    await under.stop()
  }
})

t.test('broken replies are weighed against the answers of the provider', async t => {
  const stages = await stage(page)
  t.teardown(stages.under.stop)
  stages.isBroken = isOdd
  for (let round = 0; round < 20; round++) await stages.by('b', 'm0')
  for (let round = 0; round < 20; round++) await stages.by('a', models[round % 6]!, odd)
  t.equal(await stages.by('a', 'm9'), 'acme')
  stages.at.ms += 61_000
  for (let round = 0; round < 6; round++) await stages.by('a', models[round + 6]!, odd)
  t.equal(await stages.by('a', 'm11'), 'globex')
})

t.test('answers that take longer than a whole attempt may say nothing about the provider', async t => {
  const { by, calls, under } = await stage(saying(text('Hel')), { timeouts: { totalMs: 20 } })
  t.teardown(under.stop)
  for (let round = 0; round < 12; round++) await by('a', models[round]!, { stream: true })
  t.equal(calls.length, 12)
})

t.test('a provider that answers again is asked again', async t => {
  const stages = await stage(page)
  t.teardown(stages.under.stop)
  for (let round = 0; round < 6; round++) await stages.by(round % 2 ? 'a' : 'b', models[round]!)
  t.equal(await stages.by('a', 'm6'), 'globex')
  stages.isBroken = () => false
  t.equal(await stages.by('c', 'm6'), 'globex')
  stages.at.ms += 5_000
  t.same([await stages.by('a', 'm6'), await stages.by('b', 'm7'), await stages.by('c', 'm8')], ['acme', 'acme', 'acme'])
})

t.test("one owner's odd requests do not keep a provider from others that had failed for all", async t => {
  const stages = await stage(page)
  t.teardown(stages.under.stop)
  for (let round = 0; round < 6; round++) await stages.by(round % 2 ? 'a' : 'b', models[round]!)
  stages.isBroken = isOdd
  stages.at.ms += 61_000
  await stages.by('a', 'm6', odd)
  t.equal(await stages.by('c', 'm7'), 'acme')
})

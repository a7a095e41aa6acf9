import t from 'tap'
import { ProviderFailure, type FailureKind, type ProviderCall } from '../../../core/index.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { ask, listing, witness } from '../../kit/stage.ts'

const providers = [{ provider: 'acme' }, { provider: 'globex' }]

/** Two providers of the models `m` and `n`, and the keys of two owners. The first one refuses what a test says. */
async function stage(kind: FailureKind, status: number, isRefused: (call: ProviderCall) => boolean) {
  const at = { ms: 1_000_000 }
  const credentials = [{ id: 'only', account: 'only' }]
  const refusing = (call: ProviderCall): typeof hello => {
    if (isRefused(call)) throw new ProviderFailure({ kind, status, message: 'no' })
    return hello
  }
  const acme = witness('acme', refusing, { credentials })
  const globex = witness('globex', () => hello)
  const under = await gateway({
    plugins: [acme.plugin, globex.plugin, listing(...['m', 'n'].map(model => ({ model, endpoints: providers })))],
    clock: { now: () => at.ms, elapsed: () => at.ms },
    settings: { logLevel: 'silent' },
  })
  const keys = { a: await under.gateway.issueKey({ name: 'a', org: 'a' }), b: await under.gateway.issueKey({ name: 'b', org: 'b' }) }
  const by = async (owner: 'a' | 'b', body: object = {}): Promise<string | null> => {
    const { headers } = await ask(under, { model: 'm', ...body }, { authorization: `Bearer ${keys[owner]}` })
    return headers.get('x-gateway-provider')
  }
  return { at, under, by, acme }
}

const odd = { input: 'odd' }
const isOdd = ({ request }: ProviderCall): boolean => JSON.stringify(request.input).includes('odd')

for (const [kind, status] of [
  ['auth', 403],
  ['quota', 402],
] as const) {
  t.test(`one owner's requests that get a ${status} leave the model to others`, async t => {
    const { under, by } = await stage(kind, status, isOdd)
    t.teardown(under.stop)
    t.equal(await by('a', odd), 'globex')
    t.equal(await by('a'), 'acme', 'once has no consequence, not even for the same owner')
    for (let round = 0; round < 20; round++) {
      await by('a', odd)
      await by('a', { ...odd, model: 'acme/m' })
      t.equal(await by('b'), 'acme')
    }
    const state = (await under.gateway.providers()).find(({ id }) => id === 'acme')
    t.same(state!.credentials, [{ id: 'only', restsForMs: 0 }])
    t.notOk(state!.circuits.some(circuit => circuit.state !== 'closed'))
  })

  t.test(`a credential that always gets a ${status} rests, longer each time, for the owners who know`, async t => {
    const { at, under, by, acme } = await stage(kind, status, ({ endpoint }) => endpoint.model === 'm')
    t.teardown(under.stop)
    const asked = async (owner: 'a' | 'b', model = 'm'): Promise<boolean> => {
      const before = acme.calls.length
      await by(owner, { model })
      return acme.calls.length > before
    }
    t.same([await asked('a'), await asked('a'), await asked('a')], [true, true, false])
    t.equal(await asked('a', 'n'), true, 'other models are none of it')
    at.ms += 10_000
    t.same([await asked('a'), await asked('a')], [true, false])
    at.ms += 19_999
    t.equal(await asked('a'), false)
    t.same([await asked('b'), await asked('b'), await asked('a')], [true, false, false], 'two owners: it rests for all')
    at.ms += 10_000
    t.same([await asked('b'), await asked('a')], [true, false])
    for (let round = 0; round < 8; round++) {
      at.ms += 300_000
      t.equal(await asked('a'), true)
    }
    t.equal(await asked('b'), false)
  })
}

t.test('a wrong key rests at once, for all, and so does the provider', async t => {
  const { at, under, by, acme } = await stage('auth', 401, () => true)
  t.teardown(under.stop)
  await by('a')
  t.equal(await by('b'), 'globex')
  t.equal(await by('b', { model: 'n' }), 'globex')
  t.equal(acme.calls.length, 1)
  at.ms += 300_000
  await by('b')
  t.equal(acme.calls.length, 2)
})

import t from 'tap'
import { Masks } from '../../../core/foundation/masks.ts'
import { FakeClock } from '../../kit/set-up.ts'

function masksOf(...secrets: string[]): Masks {
  const masks = new Masks()
  for (const secret of secrets) masks.add(secret)
  return masks
}

t.test('takes every secret out, wherever it stands and as often', async t => {
  const masks = masksOf('sk-demo-one', 'sk-demo-two')
  t.equal(masks.apply('a sk-demo-one b sk-demo-two c sk-demo-one'), 'a *** b *** c ***')
  t.equal(masks.apply('nothing here'), 'nothing here')
})

t.test('a secret that contains another leaves nothing of itself', async t => {
  t.equal(masksOf('secret', 'secret-and-more').apply('secret-and-more, secret'), '***, ***')
  t.equal(masksOf('secret-and-more', 'secret').apply('secret-and-more, secret'), '***, ***')
})

t.test('secrets are text, not patterns', async t => {
  t.equal(masksOf('a.b*c+(d').apply('a.b*c+(d aXb*c+(d'), '*** aXb*c+(d')
})

t.test('finds a secret inside JSON text', async t => {
  const secret = 'with "quotes" and \\ and\nlines'
  t.equal(masksOf(secret).apply(JSON.stringify({ secret })), '{"secret":"***"}')
})

t.test('leaves alone what is too short to be one', async t => {
  t.equal(masksOf('abc', '').apply('abc abcdef'), 'abc abcdef')
})

t.test('knows secrets that are added later', async t => {
  const masks = masksOf('sk-demo-one')
  masks.apply('sk-demo-one')
  masks.add('sk-demo-two')
  t.equal(masks.apply('sk-demo-two'), '***')
})

t.test("keeps the id of the gateway's own keys and hides the rest", async t => {
  t.equal(new Masks().apply('Bearer tp_demo1_0123456789abcdef.'), 'Bearer tp_demo1_***.')
  t.equal(masksOf('sk-demo-one').apply('tp_a_b sk-demo-one tp_c_d'), 'tp_a_*** *** tp_c_***')
})

t.test('finds the secrets of options by their schema', async t => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      apiKey: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], writeOnly: true },
      headers: { type: 'object', additionalProperties: { type: 'string', writeOnly: true } },
      account: { type: 'object', properties: { token: { type: 'string', writeOnly: true }, name: { type: 'string' } } },
      several: { type: 'array', items: { type: 'object', properties: { password: { type: 'string', writeOnly: true } } } },
      whole: { type: 'object', writeOnly: true },
    },
  }
  const masks = new Masks()
  masks.addSecrets(schema, {
    id: 'visible-id',
    apiKey: ['sk-demo-first', 'sk-demo-second'],
    headers: { 'x-team': 'header-secret' },
    account: { token: 'account-token', name: 'visible-name' },
    several: [{ password: 'password-one' }, { password: 'password-two' }],
    whole: { private_key: 'nested-secret', list: ['listed-secret'], count: 7, nothing: null },
    unknown: 'visible-unknown',
  })
  t.equal(masks.apply('visible-id visible-name visible-unknown'), 'visible-id visible-name visible-unknown')
  for (const secret of [
    'sk-demo-first',
    'sk-demo-second',
    'header-secret',
    'account-token',
    'password-one',
    'password-two',
    'nested-secret',
    'listed-secret',
  ])
    t.equal(masks.apply(secret), '***', secret)
})

t.test('of options, the address of a server is a secret only with more than its name', async t => {
  const schema = { type: 'object', properties: { url: { type: 'string', writeOnly: true } } }
  const told = (url: string): string => {
    const masks = new Masks()
    masks.addSecrets(schema, { url })
    return masks.apply(`cannot reach ${url}`)
  }
  for (const url of ['http://collector.example.com:4318', 'https://hooks.example.com/']) t.equal(told(url), `cannot reach ${url}`)
  for (const url of [
    'https://hooks.example.com/T0/B0/demo',
    'https://user:demo@hooks.example.com',
    'https://demo-token@hooks.example.com/',
    'https://hooks.example.com/?token=demo',
    'https://hooks.example.com#demo',
    'https://not an address',
    'redis://cache.example.com:6379',
  ])
    t.equal(told(url), 'cannot reach ***', url)
})

t.test('forgets a secret when it expires', async t => {
  const clock = new FakeClock()
  const masks = new Masks(clock)
  masks.add('sk-demo-lasting')
  masks.add('token-demo-one', clock.now() + 1000)
  masks.add('token-demo-two', clock.now() + 2000)
  const text = 'sk-demo-lasting token-demo-one token-demo-two'
  t.equal(masks.apply(text), '*** *** ***')
  clock.pass(1000)
  t.equal(masks.apply(text), '*** token-demo-one ***')
  clock.pass(1000)
  t.equal(masks.apply(text), '*** token-demo-one token-demo-two')
})

t.test('masks a secret that was given twice until the later end', async t => {
  const clock = new FakeClock()
  const masks = new Masks(clock)
  masks.add('sk-demo-lasting')
  masks.add('sk-demo-lasting', clock.now() + 1000)
  masks.add('token-demo-one', clock.now() + 2000)
  masks.add('token-demo-one', clock.now() + 1000)
  clock.pass(1000)
  t.equal(masks.apply('sk-demo-lasting token-demo-one'), '*** ***')
})

import { inspect } from 'node:util'
import t from 'tap'
import { maskThrown } from '../../../core/foundation/mask-thrown.ts'
import { Masks } from '../../../core/foundation/masks.ts'

const secret = 'sk-demo-secret'
const masks = new Masks()
masks.add(secret)

function shown(thrown: unknown): string {
  return inspect(maskThrown(thrown, masks), { depth: Infinity, showHidden: true })
}

t.test('an error without secrets is left as it is', async t => {
  const cause = { code: 7 }
  const error = Object.assign(new TypeError('plain', { cause }), { detail: [1, 'two'] })
  const { stack } = error
  t.equal(maskThrown(error, masks), error)
  t.equal(error.stack, stack)
  t.equal(error.cause, cause)
})

t.test('an error keeps its identity and loses its secrets', async t => {
  const inner = Object.assign(new Error(secret), { headers: { authorization: `Bearer ${secret}` } })
  const error = Object.assign(new AggregateError([inner, secret], `with ${secret}`, { cause: inner }), { apiKey: secret, list: [secret] })
  t.equal(maskThrown(error, masks), error)
  t.equal(error.message, 'with ***')
  t.notMatch(shown(error), secret)
  t.notMatch(error.stack, secret)
  t.equal(error.errors[0], inner)
})

t.test('a circular value ends', async t => {
  const error = new Error(secret)
  error.cause = error
  t.notMatch(shown(error), secret)
})

t.test('a frozen error is replaced', async t => {
  const masked = maskThrown(Object.freeze(new RangeError(secret, { cause: new Error(secret) })), masks) as Error
  t.match(masked, { name: 'RangeError', message: '***', cause: { message: '***' } })
  t.notMatch(shown(masked), secret)
})

t.test('anything may be thrown', async t => {
  for (const thrown of [
    secret,
    { secret },
    [secret],
    new Map([['key', secret]]),
    new (class {
      token = secret
    })(),
  ])
    t.notMatch(shown(thrown), secret)
  for (const thrown of [undefined, null, 7, Symbol('x')]) t.equal(maskThrown(thrown, masks), thrown)
})

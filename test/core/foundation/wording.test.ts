import t from 'tap'
import { GatewayError, invalidRequest } from '../../../core/foundation/errors.ts'
import { own, wording } from '../../../core/foundation/wording.ts'

t.test('a wording has a form without what it quotes', async t => {
  const inner = wording`got '${'secret'}'`
  const told = wording`At most ${own(5)} of "${'a-name'}": ${inner}, not ${7}.`
  t.equal(told.text, `At most 5 of "a-name": got 'secret', not 7.`)
  t.equal(`${told}`, told.text)
  t.equal(told.unquoted, `At most 5 of "…": got '…', not ….`)
  t.equal(wording`Nothing quoted.`.unquoted, 'Nothing quoted.')
})

t.test('an error keeps both forms, also in copies', async t => {
  const error = invalidRequest(wording`The model "${'x'}" is unknown.`, 'model')
  t.match(error, { message: 'The model "x" is unknown.', unquotedMessage: 'The model "…" is unknown.', reason: { kind: 'request' } })
  for (const copy of [
    error.unquoted(),
    error.because({ kind: 'policy', level: 'org' }),
    error.after({ provider: 'acme', attempts: 1, warnings: [] }),
    new GatewayError({ ...error, message: error.message, param: 'name' }),
  ])
    t.match(copy, { message: error.message, unquotedMessage: 'The model "…" is unknown.' })
  t.same(error.because({ kind: 'policy', level: 'org' }).reason, { kind: 'policy', level: 'org' })
  t.equal(invalidRequest(`The model "${'x'}" is unknown.`).unquotedMessage, undefined, 'of a plain text, nobody knows what it quotes')
})

t.test('the status says the reason where nobody does', async t => {
  const kinds = [400, 401, 402, 403, 404, 413, 424, 429, 499, 500, 502, 503, 504, 999].map(
    status => new GatewayError({ status, type: 'x', code: 'y', message: 'z' }).reason.kind,
  )
  t.same(kinds, [
    'request',
    'authentication',
    'credit',
    'permission',
    'request',
    'request',
    'vendor',
    'limit',
    'left',
    'gateway',
    'vendor',
    'gateway',
    'timeout',
    'gateway',
  ])
})

import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { ProviderFailure } from '../../../core/index.ts'
import { RenewedCredential, type Grant } from '../../../core/kit.ts'
import { FakeClock } from '../../kit/set-up.ts'

const { signal } = new AbortController()
const minute = 60_000

interface Stage {
  readonly clock: FakeClock
  readonly credential: RenewedCredential<string>
  /** Answers the questions, in the order in which they came. */
  readonly questions: PromiseWithResolvers<Grant<string>>[]
  readonly kept: (readonly [secret: string, expiresAtMs: number | undefined])[]
  grant(value: string, lifetimeMs?: number): void
}

function stage(): Stage {
  const clock = new FakeClock()
  const questions: Stage['questions'] = []
  const kept: [string, number | undefined][] = []
  const credential = new RenewedCredential<string>({
    vendor: 'Demo Cloud',
    advice: 'Check the option demo.',
    clock,
    ask() {
      const question = Promise.withResolvers<Grant<string>>()
      questions.push(question)
      return question.promise
    },
    keep: (secret, expiresAtMs) => kept.push([secret, expiresAtMs]),
  })
  const grant: Stage['grant'] = (value, lifetimeMs) =>
    questions.at(-1)!.resolve({
      value,
      expiresAtMs: lifetimeMs === undefined ? undefined : clock.now() + lifetimeMs,
      secrets: [`secret of ${value}`],
    })
  return { clock, credential, questions, kept, grant }
}

t.test('one question for all who wait, and none while the credential is good', async t => {
  const { clock, credential, questions, kept, grant } = stage()
  const waiting = [credential.value(signal), credential.value(signal)]
  grant('first', 60 * minute)
  t.strictSame(await Promise.all(waiting), ['first', 'first'])
  clock.pass(54 * minute)
  t.equal(credential.value(signal), 'first', 'from memory, without a promise')
  t.equal(questions.length, 1)
  t.strictSame(kept, [['secret of first', Date.UTC(2026, 0, 1, 1)]])
})

t.test('five minutes before it expires it is renewed, and nobody waits for that', async t => {
  const { clock, credential, questions, grant } = stage()
  const first = credential.value(signal)
  grant('first', 60 * minute)
  await first
  clock.pass(55 * minute)
  t.equal(credential.value(signal), 'first')
  t.equal(credential.value(signal), 'first')
  t.equal(questions.length, 2, 'one question at a time')
  questions[1]!.reject(new Error('not now'))
  await turn()
  t.equal(credential.value(signal), 'first', 'a failure harms nobody')
  t.equal(questions.length, 2, 'and is not asked again at once')
  clock.pass(10_000)
  t.equal(credential.value(signal), 'first')
  t.equal(questions.length, 3)
  grant('second', 60 * minute)
  await turn()
  t.equal(credential.value(signal), 'second')
})

t.test('an expired credential is not used', async t => {
  const { clock, credential, questions, grant } = stage()
  const first = credential.value(signal)
  grant('first', 60 * minute)
  await first
  clock.pass(60 * minute - 5_000)
  const second = credential.value(signal)
  t.equal(questions.length, 2)
  grant('second', 60 * minute)
  t.equal(await second, 'second')
})

t.test('a credential without an end is kept', async t => {
  const { clock, credential, questions, grant } = stage()
  const first = credential.value(signal)
  grant('first')
  await first
  clock.pass(1e9)
  t.equal(credential.value(signal), 'first')
  t.equal(questions.length, 1)
})

t.test('a request that gives up stops waiting, and the others still wait', async t => {
  const { credential, grant } = stage()
  const given = new AbortController()
  const [left, stays] = [credential.value(given.signal), credential.value(signal)]
  given.abort(new Error('given up'))
  await t.rejects(Promise.resolve(left), { message: 'given up' })
  t.throws(() => credential.value(given.signal), { message: 'given up' })
  grant('first', minute)
  t.equal(await stays, 'first')
})

t.test('what a failure means', async t => {
  const table: readonly (readonly [unknown, object])[] = [
    [new Error('no such role'), { kind: 'auth', message: 'Demo Cloud did not grant credentials: no such role. Check the option demo.' }],
    [
      Object.assign(new Error('Denied.'), { $metadata: { httpStatusCode: 403 } }),
      { kind: 'auth', status: 403, message: /: Denied\. Check/ },
    ],
    [Object.assign(new Error('bad'), { response: { status: 503 } }), { kind: 'unavailable', message: /status 503/ }],
    [Object.assign(new Error('slow down'), { statusCode: 429 }), { kind: 'unavailable' }],
    [new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECONNREFUSED' }) }), { kind: 'network' }],
    [new AggregateError([Object.assign(new Error('one of'), { code: 'ENOTFOUND' })], 'all failed'), { kind: 'network' }],
    [new ProviderFailure({ kind: 'timeout', message: 'late' }), { kind: 'timeout', message: 'late' }],
  ]
  for (const [thrown, expected] of table) {
    const { credential, questions, grant } = stage()
    const waiting = Promise.resolve(credential.value(signal))
    questions[0]!.reject(thrown)
    t.match(await waiting.catch((error: unknown) => error), expected)
    const again = credential.value(signal)
    t.equal(questions.length, 2, 'the next request asks again')
    grant('second', 60 * minute)
    t.equal(await again, 'second')
  }
})

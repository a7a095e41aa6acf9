import { setImmediate as turn } from 'node:timers/promises'
import { RE2JS } from 're2js'
import t, { type Test } from 'tap'
import type { JsonObject } from '../../../core/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { Searches, type Turn } from '../../../plugins/guardrails/redaction/searches.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, guarding, stop, text, usage, witness } from '../../kit/stage.ts'

const enough = { maxRequests: 1_000, maxCharacters: 1_000_000, maxRequestsPerOwner: 1_000, maxCharactersPerOwner: 1_000_000 }
const never = new AbortController().signal
const settings = { detectors: [], custom: [{ name: 'probe', pattern: 'probe[0-9]' }] }

/** How many windows were searched: each is one question to the pattern of the settings. */
function counting(t: Test): () => number {
  const { matcher } = RE2JS.prototype
  let count = 0
  RE2JS.prototype.matcher = function (...args) {
    count++
    return matcher.apply(this, args)
  }
  t.teardown(() => (RE2JS.prototype.matcher = matcher))
  return () => count
}

async function stage(t: Test, options: JsonObject = {}) {
  const acme = witness('acme', () => [text('fine'), usage(1, 1), stop])
  const under = await gateway({
    plugins: [redaction(options), acme.plugin],
    key: { user: 'jane', policy: { redaction: { value: true, settings } } },
  })
  t.teardown(under.stop)
  return { under, acme }
}

const long = 'one two '.repeat(500_000)

async function turns(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await turn()
}

t.test('a search ends when its caller leaves', async t => {
  const searched = counting(t)
  const { under } = await stage(t)
  const caller = new AbortController()
  const asked = under.request('/v1/responses', { body: { model: 'acme/m', input: long }, signal: caller.signal }).catch(() => 'left')
  while (searched() === 0) await turn()
  caller.abort()
  await turns(3)
  const before = searched()
  await turns(50)
  t.equal(searched(), before)
  t.ok(before < long.length / 16_384, `${before} windows`)
  await asked
  t.equal((await ask(under, { model: 'acme/m', input: 'hi' })).status, 200, 'the next one has its turn')
})

t.test('requests of one owner that are read for long do not delay those of another', async t => {
  const { under } = await stage(t)
  const other = await under.gateway.issueKey({ name: 'other', user: 'joe', policy: { redaction: { value: true, settings } } })
  const addresses = JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`10.0.${index}`, ''])))
  const searched = counting(t)
  const ended: string[] = []
  const own = Array.from({ length: 6 }, async () => {
    await ask(under, { model: 'acme/m', input: addresses })
    ended.push('jane')
  })
  await turn()
  t.equal((await ask(under, { model: 'acme/m', input: 'hi' }, { authorization: `Bearer ${other}` })).status, 200)
  ended.push('joe')
  t.ok(searched() < (6 * addresses.length) / 16_384, `${searched()} windows`)
  await Promise.all(own)
  t.equal(ended[0], 'joe')
})

t.test('a guardrail hears when nobody waits for it any longer', async t => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const slow = guarding(
    {
      input: (_, signal) => {
        signal.addEventListener('abort', () => resolve(signal.reason))
        return new Promise(() => {})
      },
    },
    { timeoutMs: 1 },
  )
  const acme = witness('acme', () => [text('fine'), stop])
  const under = await gateway({ plugins: [slow, acme.plugin] })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m', input: 'hi' })).status, 503)
  t.match(await promise, { message: /took longer than 1 ms/ })
})

t.test('owners take turns, and one that left has none', async t => {
  const searches = new Searches(enough)
  const order: string[] = []
  const search = (name: string) => async (turn: Turn) => {
    for (let step = 0; step < 3; step++) {
      order.push(name)
      while (!turn.isOver());
      await turn.next()
    }
  }
  const left = new AbortController()
  const all = [
    searches.run('jane', 1, never, search('jane')),
    searches.run('jane', 1, left.signal, search('left')),
    ...Array.from({ length: 5 }, () => searches.run('jane', 1, never, search('jane'))),
    searches.run('joe', 1, never, search('joe')),
  ]
  left.abort(new Error('gone'))
  const results = await Promise.allSettled(all)
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', ...Array.from({ length: 6 }, () => 'fulfilled')],
  )
  t.equal(order.length, 21)
  t.notOk(order.includes('left'))
  t.ok(order.lastIndexOf('joe') <= 6, order.join())
})

t.test('a search that was over is asked no more', async t => {
  const searches = new Searches(enough)
  const left = new AbortController()
  let steps = 0
  const search = searches.run('jane', 1, left.signal, async turn => {
    for (;;) {
      if (++steps === 2) left.abort(new Error('gone'))
      await turn.next()
    }
  })
  await t.rejects(search, { message: 'gone' })
  t.equal(steps, 2)
  t.equal(await searches.run('jane', 1, never, async () => 'next'), 'next')
})

t.test('so many requests and characters are searched at a time, of an owner and in all', async t => {
  const limits = { maxRequests: 4, maxCharacters: 100, maxRequestsPerOwner: 2, maxCharactersPerOwner: 60 }
  for (const [others, size, status] of [
    [['jane', 'jane'], 1, 429],
    [['jane'], 51, 429],
    [['joe', 'ann', 'joe', 'ann'], 1, 503],
    [['joe', 'ann'], 81, 503],
    [['joe'], 90, undefined],
    [[], 1_000, undefined],
  ] as const) {
    const searches = new Searches(limits)
    const done = Promise.withResolvers<void>()
    const running = others.map(owner => searches.run(owner, 10, never, () => done.promise))
    const next = searches.run('jane', size, never, async () => 'searched')
    if (status !== undefined) await t.rejects(next, Object.assign(new Error(), { status, retryAfterMs: 1_000 }))
    done.resolve()
    await Promise.all(running)
    if (status === undefined) t.equal(await next, 'searched')
    t.equal(await searches.run('jane', 100, never, async () => 'searched'), 'searched', 'what has ended does not count')
  }
})

t.test('callers get a 429 for too much of their own, and another owner is served', async t => {
  const searched = counting(t)
  const { under, acme } = await stage(t, { maxCharactersPerOwner: 5_000_000 })
  const other = await under.gateway.issueKey({ name: 'other', user: 'joe', policy: { redaction: { value: true, settings } } })
  const ended: string[] = []
  const own = Array.from({ length: 6 }, async () => {
    const { status, error } = await ask(under, { model: 'acme/m', input: long })
    ended.push(`jane ${status}`)
    if (status === 429) t.match(error, { code: 'rate_limit_exceeded', message: /at most 400 requests with 5000000 characters/ })
  })
  while (searched() === 0) await turn()
  t.equal((await ask(under, { model: 'acme/m', input: 'hi' }, { authorization: `Bearer ${other}` })).status, 200)
  ended.push('joe')
  await Promise.all(own)
  t.same(ended.toSorted(), ['jane 200', ...Array.from({ length: 5 }, () => 'jane 429'), 'joe'])
  t.equal(ended.at(-1), 'jane 200', 'joe did not wait for it')
  t.equal(acme.calls.length, 2)
})

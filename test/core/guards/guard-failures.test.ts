import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import type { GuardSession, OutputFilter } from '../../../core/index.ts'
import { checkResponse, checkStream, readEvents } from '../../../core/testing/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { guarding, said, witness } from '../../kit/stage.ts'

/** A function of a guardrail: a good result, one that is far too large, and the session that has the function. */
interface Function {
  readonly good: (given: any) => unknown
  readonly huge?: (given: any) => unknown
  readonly session: (run: (given: any) => any) => GuardSession | 'open'
  readonly isAsynchronous?: boolean
  readonly isDecision?: boolean
  /** It fails when the answer has begun. */
  readonly inAnswer?: boolean
}

const pass = (): object => ({ pass: true })
const text = (given: string): string => given
const tooLong = 300 * 1024 * 1024
const maxAnswerBytes = 100_000
const filter: OutputFilter = { push: piece => piece, flush: () => '' }

const functions: Readonly<Record<string, Function>> = {
  open: { good: () => ({ input: pass }), session: () => 'open' },
  input: {
    good: pass,
    huge: request => ({ replace: { ...request, instructions: 'x'.repeat(tooLong) } }),
    session: run => ({ input: run }),
    isAsynchronous: true,
  },
  decision: {
    good: pass,
    huge: request => ({ replace: { ...request, state: 'x'.repeat(tooLong) } }),
    session: run => ({ decision: run }),
    isAsynchronous: true,
    isDecision: true,
  },
  route: { good: () => true, session: run => ({ route: run }) },
  output: { good: () => filter, session: run => ({ output: run }), inAnswer: true },
  push: {
    good: text,
    huge: () => 'x'.repeat(2 * maxAnswerBytes),
    session: run => ({ output: () => ({ ...filter, push: run }) }),
    inAnswer: true,
  },
  flush: {
    good: () => '',
    huge: () => 'x'.repeat(2 * maxAnswerBytes),
    session: run => ({ output: () => ({ ...filter, flush: () => run('') }) }),
    inAnswer: true,
  },
  item: {
    good: pass,
    huge: () => ({ replace: ['x'.repeat(2 * maxAnswerBytes)] }),
    session: run => ({ item: run }),
    isAsynchronous: true,
    inAnswer: true,
  },
}

const secret = 'canary of a guardrail'

/** Each misbehavior returns undefined for a function that is incapable of it. */
const misbehaviors: Readonly<Record<string, (of: Function) => ((given: any) => any) | undefined>> = {
  throws: () => () => {
    throw new Error(secret)
  },
  rejects: () => () => Promise.reject(new Error(secret)),
  'never settles': () => () => new Promise(() => {}),
  'is slow':
    ({ isAsynchronous, good }) =>
    given => {
      if (isAsynchronous) return setTimeout(5).then(() => good(given))
      for (const until = performance.now() + 5; performance.now() < until;);
      return good(given)
    },
  'returns `undefined`': () => () => undefined,
  'returns another type': () => () => 7,
  'returns a promise':
    ({ good }) =>
    given =>
      Promise.resolve(good(given)),
  'returns too much': ({ huge }) => huge,
}

/** The page's table of functions and misbehaviors. */
const page = readFileSync(new URL('../../../docs/guardrails.md', import.meta.url), 'utf8').split('\n')
const [head, , ...rows] = page.slice(page.findIndex(line => line.startsWith('| | throws |')))
const cellsOf = (row: string): string[] => row.split('|').slice(1, -1).map(cell => cell.trim()) // prettier-ignore
const table = rows.slice(0, rows.findIndex(row => !row.startsWith('|'))).map(cellsOf) // prettier-ignore

t.test('the page lists every function and every misbehavior', async t => {
  t.same(cellsOf(head!).slice(1), Object.keys(misbehaviors))
  t.same(
    table.map(([name]) => name),
    Object.keys(functions).map(name => `\`${name}\``),
  )
})

async function staged(of: Function, run: (given: any) => any, onFailure: 'refuse' | 'allow') {
  const acme = witness('acme', () => hello)
  const one = deciding('vendor')
  const session = of.session(run)
  // It is late only where it never settles.
  const timeoutMs = run.toString().includes('new Promise') ? 20 : 60_000
  const guard = guarding(undefined, { name: 'watcher', onFailure, timeoutMs, open: session === 'open' ? run : () => session })
  const under = await gateway({ plugins: [decisions({}), acme.plugin, one.plugin, guard], settings: { maxAnswerBytes } })
  return { under, acme, one }
}

for (const [index, [name, of]] of Object.entries(functions).entries())
  for (const [column, [how, misbehavior]] of Object.entries(misbehaviors).entries()) {
    const run = misbehavior(of)
    const expected = table[index]?.[column + 1]
    if (!run) {
      t.equal(expected, '', `${name} cannot do that: ${how}`)
      continue
    }
    for (const onFailure of ['refuse', 'allow'] as const)
      t.test(`${name} ${how}: ${expected || 'no failure'}, ${onFailure}`, async t => {
        const { under, acme, one } = await staged(of, run, onFailure)
        t.teardown(under.stop)
        const isFailure = expected === 'failure'
        for (const stream of of.isDecision ? [false] : [false, true]) {
          const body = { model: 'acme/m', input: 'hi', stream }
          const reply = of.isDecision ? await decide(under) : await under.request('/v1/responses', { body })
          const got = 'text' in reply ? await reply.text() : JSON.stringify(reply)
          const isRefused = isFailure && onFailure === 'refuse'
          if (isRefused && stream && of.inAnswer) {
            t.equal(reply.status, 200)
            t.match(checkStream(got).response, { status: 'failed', error: { code: 'server_error' } })
            const deltas = readEvents(got).filter(({ type }) => type.endsWith('.delta'))
            t.equal(deltas.length, name === 'flush' ? 2 : 0, 'nothing unchecked is delivered')
          } else if (isRefused) {
            t.equal(reply.status, 503)
            if (!of.inAnswer) t.equal(acme.calls.length + one.calls.length, 0, 'no provider is asked')
          } else {
            t.equal(reply.status, 200)
            if (!of.isDecision) t.equal(said(stream ? checkStream(got).response : checkResponse(JSON.parse(got))), 'Hello')
          }
          if (isRefused) {
            const [message] = /The guardrail [^.]*\.[^"]*/.exec(got) ?? []
            t.equal(message, 'The guardrail \\"watcher\\" failed, so this request was refused. Try again.')
            if (!of.inAnswer) t.notMatch(got, /acme|vendor/, 'the provider is not named')
          }
          t.notMatch(got, secret)
          const record = await under.record(reply.headers.get('x-request-id')!)
          const note = { kind: 'guardrail', summary: { name: 'watcher', outcome: 'failed' } }
          if (isFailure) t.match(record.notes, [note])
          else t.same(record.notes, [])
          for (const { outcome } of record.attempts) t.match(outcome, /^(ok|left)$/, 'it is not the fault of the provider')
        }
        const told = under.logs.filter(line => line.includes('a guardrail failed'))
        t.equal(told.length > 0, isFailure)
        for (const line of told) t.match(line, /"guardrail":"watcher"/)
        t.notMatch(under.logs.join(), 'a provider plugin failed')
        t.equal(under.gateway.liveRuns, 0)
      })
  }

import assert from 'node:assert/strict'
import type { LogSink, RequestRecord } from '../../contracts/log-sink.ts'
import { LogSinks } from '../../framework/extension-points.ts'
import { marker, onStage, type CallStage, type CallSuiteOptions } from '../call-stage.ts'
import { frozen } from '../frozen.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { testRecord } from '../test-record.ts'
import { oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** For `logSinkSuite`. */
export interface LogSinkSuiteOptions extends CallSuiteOptions {
  /** All that the plugin made last has written so far, as text. Without it, nothing tests that records arrive. */
  written?(): string | Promise<string>
}

/** Tests for every log sink. */
export function logSinkSuite(t: SuiteContext, options: LogSinkSuiteOptions): void {
  const test = onEachPlugin(t, options, LogSinks)
  const on = (name: string, run: (stage: CallStage) => Promise<void>, logging = true): unknown =>
    t.test(name, async () => onStage(options, run, { policy: { logging: { value: logging } } }))
  test('takes records of every kind, and changes none', async sink => takesAll(sink))
  test('takes any text', async sink => takesTexts(sink))
  test('takes a batch of any size', async sink => {
    for (const size of [1, 1_000]) await sink.write(frozen(Array.from({ length: size }, (_, index) => testRecord({ id: `req_${index}` }))))
  })
  test('says when to try again, whatever failed', async sink => triesAgain(sink))
  on('the requests of a gateway are written', stage => writesRequests(stage, options))
  on('nothing of a caller without logging is written', stage => hidesContent(stage, options), false)
}

const content = { request: { input: `${marker} request` }, response: { output: [{ text: `${marker} response` }] } } as const

function recordsFor({ accepts }: LogSink): readonly RequestRecord[] {
  const plain: readonly RequestRecord[] = [
    testRecord({ id: 'req_whole', model: 'demo', provider: 'acme', costUsd: 0.25, keyId: 'demo', org: 'acme', kind: 'generation' }),
    testRecord({ id: 'req_empty' }),
    testRecord({
      id: 'req_failed',
      status: 424,
      errorCode: 'provider_error',
      attempts: [{ provider: 'acme', model: 'demo', outcome: 'network', status: null, elapsedMs: 3 }],
      notes: [{ kind: 'guardrail', summary: { name: 'demo', outcome: 'failed' } }],
    }),
  ]
  if (accepts === 'metadata') return plain
  return [
    ...plain,
    testRecord({ id: 'req_content', ...content }),
    testRecord({ id: 'req_kept', ...content, kept: { demo: { a: ['b', null, { c: 1 }] } } }),
  ]
}

async function takesAll(sink: LogSink): Promise<void> {
  for (const record of recordsFor(sink)) await promised(sink.write(frozen([record])))
  await promised(sink.write(frozen(recordsFor(sink))))
}

async function takesTexts(sink: LogSink): Promise<void> {
  for (const [index, text] of oddTexts.entries()) {
    const texts = sink.accepts === 'content' ? { request: { input: text }, response: { output: text } } : {}
    await sink.write(frozen([testRecord({ id: `req_odd${index}`, model: text, requestedModel: text, session: text, ...texts })]))
  }
}

async function promised(written: unknown): Promise<void> {
  assert.equal(typeof (written as Promise<void> | undefined)?.then, 'function', '`write` must return a promise, or failures are lost')
  await (written as Promise<void>)
}

async function triesAgain(sink: LogSink): Promise<void> {
  for (const error of [new Error('full'), 'text', undefined, null, { code: 'ENOSPC' }])
    for (const failures of [1, 2, 10, 1_000]) {
      const ms = sink.retryAfterMs?.(error, failures)
      if (ms !== undefined) assert.ok(Number.isFinite(ms) && ms >= 0, `after ${failures} failures it says ${ms}: expected milliseconds`)
    }
  await sink.giveUp?.(frozen(recordsFor(sink)), new Error('full'))
}

async function writesRequests(stage: CallStage, { written }: LogSinkSuiteOptions): Promise<void> {
  await stage.ask('hello')
  await stage.ask('hello', { stream: true })
  await stage.ask('refused', { apiKey: 'no key' })
  await stage.recorded(3)
  await stage.gateway.stop()
  if (!written) return
  const all = await written()
  for (const { id } of stage.records) assert.equal(countOf(id, all) > 0, true, `the record ${id} is not written`)
}

async function hidesContent(stage: CallStage, { written }: LogSinkSuiteOptions): Promise<void> {
  await stage.ask('a secret')
  await stage.recorded(1)
  await stage.gateway.stop()
  if (written) assert.equal(countOf(marker, await written()), 0, 'content is written')
}

function countOf(text: string, all: string): number {
  return all.split(text).length - 1
}

import assert from 'node:assert/strict'
import type { GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure, type FailureKind } from '../contracts/provider.ts'
import { checkGenerationEvents } from './generation-events.ts'
import { replay, type Replayed } from './replay.ts'
import { callFor, type InsideFailureExample, type ProviderExample, type ProviderSuiteOptions } from './suite-example.ts'

/** New versions of a dialect add unknown members. */
export async function readsReply(
  options: ProviderSuiteOptions,
  example: ProviderExample,
  { body, events }: NonNullable<ProviderExample['reply']>,
): Promise<void> {
  checkGenerationEvents(events)
  checkBill(example, events)
  for (const told of [body, { ...(body as object), demo_unknown: { type: 'demo', list: [null] } }]) {
    const replayed = await read(options, example, JSON.stringify(told))
    if (replayed.failure) throw replayed.failure
    assert.deepEqual(replayed.events, events)
  }
}

export async function refusesOther(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const body of [
    '',
    'null',
    '[]',
    '[null]',
    '{}',
    '7',
    '"text"',
    '<html>',
    '{"error":{"message":"no"}}',
    '{"demo":{"unknown":true}}',
  ]) {
    const { failure } = await read(options, example, body)
    assert.ok(ProviderFailure.is(failure), `the body ${body || '(empty)'} of a 200 must throw a ProviderFailure: ${String(failure)}`)
  }
}

export async function repliesFailure(options: ProviderSuiteOptions, { reply, kind }: InsideFailureExample): Promise<void> {
  checkFailureInside(options, await read(options, options.examples[0]!, JSON.stringify(reply!.body)), kind)
}

export function checkFailureInside({ secrets = [] }: ProviderSuiteOptions, { failure, events }: Replayed, kind: FailureKind): void {
  assert.ok(ProviderFailure.is(failure), `expected a ProviderFailure, got ${String(failure)}`)
  assert.equal(failure.kind, kind)
  assert.ok(failure.message !== '', 'the failure has no message')
  assert.ok(!events.some(({ type }) => type === 'finish'), 'a finish event came before the failure')
  for (const secret of secrets) assert.ok(!failure.message.includes(secret), 'the failure reveals a secret')
}

/** If the counts are disjoint, they add up to what the vendor bills. */
export function checkBill({ billed }: ProviderExample, events: readonly GenerationEvent[]): void {
  const last = events.findLast(event => event.type === 'usage')
  if (!billed || !last) return
  const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output } = last.usage
  assert.deepEqual(
    { input: uncachedInput + cacheRead + cacheWrite5m + cacheWrite1h, output },
    billed,
    'the usage differs from what is billed',
  )
}

function read(options: ProviderSuiteOptions, example: ProviderExample, body: string): Promise<Replayed> {
  return replay(options.adapter, callFor(options, example, false), { pieces: [Buffer.from(body)] })
}

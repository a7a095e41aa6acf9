import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure, type Provider, type ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import { checkGenerationEvents } from './generation-events.ts'
import { frozen } from './frozen.ts'
import { providerCall } from './provider-call.ts'
import type { SuiteContext } from './provider-suite.ts'

/** For `answeringSuite`. */
export interface AnsweringSuiteOptions {
  /** A working provider. Its upstream must answer each of `requests` the same way every time. */
  readonly provider: Provider
  /** Each is sent both streamed and whole. */
  readonly requests: readonly Omit<UpstreamRequestBody, 'stream'>[]
  /** Missing members are those of one without known capabilities. */
  readonly endpoint?: Partial<Endpoint>
  /** How quickly it must stop after an abort. Default: 1000. */
  readonly stopMs?: number
}

/** Tests for every provider, with or without an adapter, against an upstream that answers. */
export function answeringSuite(t: SuiteContext, options: AnsweringSuiteOptions): void {
  for (const [index, request] of options.requests.entries()) {
    for (const stream of [true, false]) {
      const name = `request ${index + 1}, ${stream ? 'streamed' : 'whole'}`
      const call = (signal?: AbortSignal): ProviderCall => callOf(options, { ...request, stream }, signal)
      t.test(`${name}: answers with legal events and one finish`, () => answers(options, call))
      t.test(`${name}: answers several callers at once`, () => answersAtOnce(options, call))
      t.test(`${name}: does not start if already aborted`, () => neverBegins(options, call))
      t.test(`${name}: stops when it is aborted`, () => stops(options, call))
    }
  }
}

type MakeCall = (signal?: AbortSignal) => ProviderCall

/** Request and endpoint are frozen: writing to them throws. */
function callOf(
  { provider, endpoint }: AnsweringSuiteOptions,
  request: UpstreamRequestBody,
  signal: AbortSignal | undefined,
): ProviderCall {
  return providerCall(frozen(request), {
    endpoint: frozen({ provider: provider.id, ...endpoint }),
    credentialId: provider.credentials?.[0]?.id,
    ...(signal && { signal }),
  })
}

async function answers({ provider }: AnsweringSuiteOptions, call: MakeCall): Promise<void> {
  const events = await heard(provider, call())
  checkGenerationEvents(events)
  assert.equal(events.filter(({ type }) => type === 'finish').length, 1, 'expected exactly one finish event')
}

async function answersAtOnce({ provider }: AnsweringSuiteOptions, call: MakeCall): Promise<void> {
  const alone = joined(await heard(provider, call()))
  for (const events of await Promise.all([1, 2, 3].map(() => heard(provider, call()))))
    assert.deepEqual(joined(events), alone, 'concurrent calls must get the same answer as a single one')
}

async function neverBegins({ provider }: AnsweringSuiteOptions, call: MakeCall): Promise<void> {
  const reason = new Error('aborted')
  await assert.rejects(heard(provider, call(AbortSignal.abort(reason))), reason, "it must throw the signal's reason")
}

async function stops({ provider, stopMs = 1000 }: AnsweringSuiteOptions, call: MakeCall): Promise<void> {
  const controller = new AbortController()
  const iterator = provider.generate(call(controller.signal))[Symbol.asyncIterator]()
  await iterator.next()
  controller.abort(new Error('aborted'))
  // Events that arrived before the abort may still be yielded. The call may then end or throw.
  const rest = async (): Promise<void> => {
    while (!(await iterator.next()).done);
  }
  await pTimeout(rest().catch(thrown), { milliseconds: stopMs, message: `it did not stop within ${stopMs} ms` })
}

function thrown(error: unknown): void {
  assert.ok(!ProviderFailure.is(error), 'an aborted call must not count as a failure of the provider')
}

async function heard(provider: Provider, call: ProviderCall): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = []
  for await (const each of provider.generate(call)) events.push(...[each].flat())
  return events
}

/** Ignores how the text was split, which may differ between calls. */
function joined(events: readonly GenerationEvent[]): string {
  return events.map(event => ('text' in event ? event.text : event.type)).join('')
}

import type { ProviderSuiteOptions } from './suite-example.ts'
import { tellsFailures } from './suite-failures.ts'
import { readsReply, refusesOther, repliesFailure } from './suite-replies.ts'
import { prepares } from './suite-requests.ts'
import { decodes, endsByItself, failsInside, keepsApart, noticesCuts, refusesOtherStreams, skipsUnknown } from './suite-streams.ts'

export type { FailureExample, InsideFailureExample, ProviderExample, ProviderSuiteOptions } from './suite-example.ts'

/** The part of a test framework that suites need. Both tap's `t` and node:test's context match it. */
export interface SuiteContext {
  /** Registers a test. The suite does not await it. */
  test(name: string, run: () => Promise<void>): unknown
}

/** Tests for every adapter. */
export function providerSuite(t: SuiteContext, options: ProviderSuiteOptions): void {
  for (const example of options.examples) {
    t.test(`${example.name}: prepares the same request twice and changes nothing`, () => prepares(options, example))
    if (example.stream) {
      const stream = { ...example.stream, body: Buffer.from(example.stream.body) }
      t.test(`${example.name}: decodes the same events no matter how the bytes are split`, () => decodes(options, example, stream))
      t.test(`${example.name}: decodes several replies at once`, () => keepsApart(options, example, stream))
      t.test(`${example.name}: never treats a truncated stream as complete`, () => noticesCuts(options, example, stream))
      t.test(`${example.name}: ends with the answer, even if the connection stays open`, () => endsByItself(options, example, stream))
      t.test(`${example.name}: skips unknown events`, () => skipsUnknown(options, example, stream))
    }
    if (example.reply) {
      const { reply } = example
      t.test(`${example.name}: reads the non-streaming reply`, () => readsReply(options, example, reply))
    }
  }
  const [example] = options.examples
  if (example) {
    t.test('does not treat other bytes as a stream', () => refusesOtherStreams(options, example))
    t.test('does not treat other JSON as a reply', () => refusesOther(options, example))
  }
  for (const failure of options.failuresInside ?? []) {
    if (failure.stream) t.test(`${failure.name}: fails inside a stream`, () => failsInside(options, failure))
    if (failure.reply) t.test(`${failure.name}: fails inside a reply`, () => repliesFailure(options, failure))
  }
  t.test('classifies failures, and accepts any body', async () => tellsFailures(options))
}

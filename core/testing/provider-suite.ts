import type { ProviderSuiteOptions } from './suite-example.ts'
import { tellsFailures } from './suite-failures.ts'
import { readsReply, refusesOther, repliesFailure } from './suite-replies.ts'
import { prepares } from './suite-requests.ts'
import { decodes, endsByItself, failsInside, keepsApart, noticesCuts, refusesOtherStreams, skipsUnknown } from './suite-streams.ts'

export type { FailureExample, InsideFailureExample, ProviderExample, ProviderSuiteOptions } from './suite-example.ts'

/** The part of a test framework that suites need: tap's `t` and node:test's are both of this shape. */
export interface SuiteContext {
  test(name: string, run: () => Promise<void>): unknown
}

/** What every adapter must pass, whoever wrote it. */
export function providerSuite(t: SuiteContext, options: ProviderSuiteOptions): void {
  for (const example of options.examples) {
    t.test(`${example.name}: prepares the same request again, and changes nothing`, () => prepares(options, example))
    if (example.stream) {
      const stream = { ...example.stream, body: Buffer.from(example.stream.body) }
      t.test(`${example.name}: decodes the same events however the bytes are cut`, () => decodes(options, example, stream))
      t.test(`${example.name}: decodes several replies at once`, () => keepsApart(options, example, stream))
      t.test(`${example.name}: never takes a stream that was cut short for a whole one`, () => noticesCuts(options, example, stream))
      t.test(`${example.name}: ends where the answer ends, although the connection stays open`, () =>
        endsByItself(options, example, stream),
      )
      t.test(`${example.name}: skips events that it does not know`, () => skipsUnknown(options, example, stream))
    }
    if (example.reply) {
      const { reply } = example
      t.test(`${example.name}: reads the reply that does not stream`, () => readsReply(options, example, reply))
    }
  }
  const [example] = options.examples
  if (example) {
    t.test('takes no other bytes for a stream', () => refusesOtherStreams(options, example))
    t.test('takes no other JSON for a reply', () => refusesOther(options, example))
  }
  for (const failure of options.failuresInside ?? []) {
    if (failure.stream) t.test(`${failure.name}: is a failure inside a stream`, () => failsInside(options, failure))
    if (failure.reply) t.test(`${failure.name}: is a failure inside a reply`, () => repliesFailure(options, failure))
  }
  t.test('tells failures apart, and reads any body', async () => tellsFailures(options))
}

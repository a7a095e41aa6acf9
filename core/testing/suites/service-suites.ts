import assert from 'node:assert/strict'
import type { Compactor, ConversationPart } from '../../contracts/compactor.ts'
import type { SavedWindows } from '../../contracts/saved-windows.ts'
import type { TokenCounter } from '../../contracts/token-counter.ts'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { onEachStore, type Closing } from '../stores/on-each-store.ts'
import { oddTexts } from './on-each-plugin.ts'

/** Saved windows under test, without any. */
export interface SavedWindowsUnderTest extends Closing {
  /** Empty at first. */
  readonly windows: SavedWindows
  /** The same store, as another process has it. Undefined if processes share none. */
  readonly other?: SavedWindows
  /** Lets time pass. Without it, nothing tests that windows end. */
  pass?(milliseconds: number): Maybe<void>
}
/** For `savedWindowsSuite`. */
export interface SavedWindowsSuiteOptions {
  /** Called once per test. */
  open(): Maybe<SavedWindowsUnderTest>
}

const hourMs = 3_600_000

/** Tests for every implementation of `SavedWindows`. */
export function savedWindowsSuite(t: SuiteContext, { open }: SavedWindowsSuiteOptions): void {
  const test = onEachStore(t, open)
  const usedOf = async (windows: SavedWindows, bucket: string): Promise<number | undefined> =>
    (await windows.read([bucket])).find(each => each.bucket === bucket)?.used
  test('what is added is read, in every process', async ({ windows, other = windows }) => {
    assert.deepEqual(await windows.read(['none', 'nowhere']), [])
    const [added] = await windows.add([{ bucket: 'a', used: 3, endsInMs: hourMs }])
    assert.equal(added?.used, 3)
    assert.ok(added.endsInMs > 0 && added.endsInMs <= hourMs, `endsInMs is ${added.endsInMs}`)
    assert.equal(await usedOf(other, 'a'), 3)
    assert.equal(await usedOf(other, 'b'), undefined, 'another bucket is another window')
  })
  test('additions sum up, and can be given back', async ({ windows, other = windows }) => {
    await windows.add([{ bucket: 'a', used: 3, endsInMs: hourMs }])
    const sums = await other.add([
      { bucket: 'a', used: 4, endsInMs: hourMs },
      { bucket: 'b', used: 1, endsInMs: hourMs },
    ])
    assert.deepEqual(Object.fromEntries(sums.map(({ bucket, used }) => [bucket, used])), { a: 7, b: 1 })
    await windows.add([{ bucket: 'a', used: -2, endsInMs: hourMs }])
    assert.equal(await usedOf(other, 'a'), 5)
  })
  test('nothing is lost of additions at once', async ({ windows, other = windows }) => {
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 ? other : windows).add([{ bucket: 'a', used: 1, endsInMs: hourMs }])),
    )
    assert.equal(await usedOf(windows, 'a'), 50)
  })
  test('any name is a bucket', async ({ windows }) => {
    for (const [index, name] of ['__proto__', 'constructor', "' or 1=1 --", 'ü 🦊', 'x'.repeat(200)].entries()) {
      await windows.add([{ bucket: name, used: index + 1, endsInMs: hourMs }])
      assert.equal(await usedOf(windows, name), index + 1, name)
    }
  })
  test('a window ends, and begins anew', async ({ windows, other = windows, pass }) => {
    if (!pass) return
    await windows.add([{ bucket: 'a', used: 9, endsInMs: hourMs }])
    await pass(hourMs + 1_000)
    assert.equal(await usedOf(other, 'a'), undefined, 'it has ended')
    await other.add([{ bucket: 'a', used: 2, endsInMs: hourMs }])
    assert.equal(await usedOf(windows, 'a'), 2)
  })
}

/** A token counter under test. */
export interface TokenCounterUnderTest extends Closing {
  /** Asked with texts that the suite makes up. */
  readonly counter: TokenCounter
}
/** For `tokenCounterSuite`. */
export interface TokenCounterSuiteOptions {
  /** Called once per test. */
  open(): Maybe<TokenCounterUnderTest>
}

/** Tests for every implementation of `TokenCounter`. */
export function tokenCounterSuite(t: SuiteContext, { open }: TokenCounterSuiteOptions): void {
  const test = onEachStore(t, open)
  const tokensOf = async (counter: TokenCounter, ...texts: readonly string[]): Promise<number> => {
    const count = await counter.count(texts, { deadlineMs: 60_000 })
    assert.ok(count, 'expected a count')
    assert.equal(count.complete, true)
    assert.ok(Number.isInteger(count.tokens) && count.tokens >= 0, `${count.tokens} tokens`)
    return count.tokens
  }
  test('counts the sum of all texts', async ({ counter }) => {
    assert.equal(await tokensOf(counter), 0)
    assert.equal(await tokensOf(counter, ''), 0)
    const [one, two] = [await tokensOf(counter, 'The sky is blue.'), await tokensOf(counter, 'So is the sea.')]
    assert.ok(one > 0 && two > 0)
    assert.equal(await tokensOf(counter, 'The sky is blue.', 'So is the sea.'), one + two)
    assert.ok((await tokensOf(counter, 'word '.repeat(1_000))) >= 500, 'more text has more tokens')
  })
  test('counts any text, special tokens as ordinary ones', async ({ counter }) => {
    for (const text of oddTexts) await tokensOf(counter, text)
    assert.ok((await tokensOf(counter, '<|endoftext|>')) > 1, 'a caller may write the words of a special token')
  })
  test('stops above the limit', async ({ counter }) => {
    const count = await counter.count(['word '.repeat(5_000)], { limit: 100, deadlineMs: 60_000 })
    assert.equal(count?.complete, false)
    assert.ok(count.tokens > 100, `at least more than the limit, not ${count.tokens}`)
    assert.equal((await counter.count(['word'], { limit: 100, deadlineMs: 60_000 }))?.complete, true)
  })
  test('keeps counts at once apart', async ({ counter }) => {
    const texts = Array.from({ length: 20 }, (_, index) => 'word '.repeat(index + 1))
    const alone: number[] = []
    for (const text of texts) alone.push(await tokensOf(counter, text))
    assert.deepEqual(await Promise.all(texts.map(text => tokensOf(counter, text))), alone)
  })
}

/** A compactor under test. */
export interface CompactorUnderTest extends Closing {
  /** Asked with parts that the suite makes up. */
  readonly compactor: Compactor
}
/** For `compactorSuite`. */
export interface CompactorSuiteOptions {
  /** Called once per test. */
  open(): Maybe<CompactorUnderTest>
}

/** Tests for every implementation of `Compactor`. */
export function compactorSuite(t: SuiteContext, { open }: CompactorSuiteOptions): void {
  const test = onEachStore(t, open)
  const parts: readonly ConversationPart[] = [
    { index: 0, count: 1, openCalls: [] },
    { index: 0, count: 3, openCalls: [] },
    { index: 2, count: 3, openCalls: [{ name: 'look_up', input: '{"q":"x"}' }] },
    { index: 0, count: 1, openCalls: oddTexts.map(text => ({ name: text.slice(0, 60), input: text })) },
  ]
  test('its limits leave room for a summary', async ({ compactor: { maxSummaryTokens, maxKeptTokens, maxParts, model } }) => {
    assert.ok(Number.isInteger(maxSummaryTokens) && maxSummaryTokens > 0, `maxSummaryTokens is ${maxSummaryTokens}`)
    assert.ok(Number.isInteger(maxKeptTokens) && maxKeptTokens >= 0, `maxKeptTokens is ${maxKeptTokens}`)
    assert.ok(Number.isInteger(maxParts) && maxParts > 0, `maxParts is ${maxParts}`)
    if (model !== undefined) assert.notEqual(model.trim(), '', 'an empty model')
  })
  test('asks for a summary of any part, at once', async ({ compactor }) => {
    for (const part of parts) {
      const question: unknown = compactor.question(part)
      assert.ok(typeof question === 'string' && question.trim() !== '', `the question for part ${part.index} must be a text`)
      assert.equal(compactor.question(part), question, 'the same part is asked for in the same words, so that prompts stay cached')
    }
  })
  test('tells the model of calls that are still open', async ({ compactor }) => {
    const question = compactor.question(parts[2]!)
    assert.ok(question.includes('look_up'), 'the open call is not in the conversation that the model reads')
  })
}

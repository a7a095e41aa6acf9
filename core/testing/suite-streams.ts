import assert from 'node:assert/strict'
import pTimeout from 'p-timeout'
import { isSemantic, type GenerationEvent } from '../contracts/events.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { checkGenerationEvents } from './generation-events.ts'
import { inPieces, replay, type Replayed } from './replay.ts'
import { checkBill, checkFailureInside } from './suite-replies.ts'
import { callFor, type InsideFailureExample, type ProviderExample, type ProviderSuiteOptions, type StreamExample } from './suite-example.ts'

export async function decodes(options: ProviderSuiteOptions, example: ProviderExample, stream: StreamExample): Promise<void> {
  const { body, events } = stream
  checkGenerationEvents(events)
  checkBill(example, events)
  for (const length of [body.length, 1, 3, 7])
    await decodesTo(options, example, inPieces(body, length), events, `in pieces of ${length} bytes`)
}

/** Concurrent replies must not mix. */
export async function keepsApart(options: ProviderSuiteOptions, example: ProviderExample, { body, events }: StreamExample): Promise<void> {
  const pieces = inPieces(body, Math.max(1, Math.ceil(body.length / 50)))
  await Promise.all([1, 2, 3].map(count => decodesTo(options, example, pieces, events, `concurrently (${count})`)))
}

/** A truncated stream may finish only if nothing is lost, such as when only the final marker is missing. */
export async function noticesCuts(options: ProviderSuiteOptions, example: ProviderExample, { body, events }: StreamExample): Promise<void> {
  const whole = events.filter(isSemantic)
  for (let length = 0; length < body.length; length++) {
    const replayed = await decoded(options, example, [body.subarray(0, length)])
    if (!isAnswer(replayed)) continue
    const said = replayed.events.filter(isSemantic)
    assert.deepEqual(said, whole, `after ${length} of ${body.length} bytes it finishes with only part of the answer`)
  }
}

/**
 * Vendors and proxies may keep a connection open after the answer, or repeat it. The answer ends with a `finish` from `frame`, or with
 * `isComplete`. An answer without usage may wait for the end of its body.
 */
export async function endsByItself(
  options: ProviderSuiteOptions,
  example: ProviderExample,
  { body, events }: StreamExample,
): Promise<void> {
  if (!events.some(({ type }) => type === 'usage') || !events.some(({ type }) => type === 'finish')) return
  const isWhole = typeof options.adapter.framing === 'function' || /\n\r?\n$|\}\n$/.test(Buffer.from(body.subarray(-4)).toString('latin1'))
  const pieces = isWhole ? [body, body] : [body]
  const replaying = replay(options.adapter, callFor(options, example, true), { pieces, staysOpen: true })
  const replayed = await pTimeout(replaying, { milliseconds: maxEndMs, message: false })
  assert.ok(replayed, 'it must not wait for the end of the body once finish and usage have arrived')
  if (replayed.failure) throw replayed.failure
  const finish = replayed.events.findIndex(({ type }) => type === 'finish')
  assert.deepEqual(replayed.events.slice(0, finish + 1).filter(isSemantic), events.filter(isSemantic), 'it yields more than the answer')
  assert.deepEqual(usageOf(replayed.events), usageOf(events), 'it counts more than the answer')
}

const maxEndMs = 5_000

function usageOf(events: readonly GenerationEvent[]): GenerationEvent | undefined {
  return events.findLast(({ type }) => type === 'usage')
}

const noStreams = [
  '',
  '\n\n',
  '<!doctype html><title>Bad gateway</title>',
  ': a comment\n\n',
  'data: null\n\n',
  'data: []\n\n',
  'data: 7\n\ndata: "text"\n\n',
  'data: {}\n\n',
  'data: {"demo":{"unknown":true}}\n\n',
  'data: [DONE]\n\n',
  'event: error\ndata: oh\n\n',
  'null\n',
  '{}\n',
  '[]\n',
  '7\n"text"\n',
  '{"error":{"message":"no"}}\n',
  '\u0000\u0000\u0000\u0010\u0000\u0000\u0000\u0000garbage',
]

export async function refusesOtherStreams(options: ProviderSuiteOptions, example: ProviderExample): Promise<void> {
  for (const body of noStreams) {
    const replayed = await decoded(options, example, body === '' ? [] : [Buffer.from(body)])
    assert.ok(!isAnswer(replayed), `a stream of ${JSON.stringify(body)} must not count as an answer`)
    assert.ok(ProviderFailure.is(replayed.failure), `a stream of ${JSON.stringify(body)} throws ${String(replayed.failure)}`)
  }
}

export async function skipsUnknown(
  options: ProviderSuiteOptions,
  example: ProviderExample,
  { body, events }: StreamExample,
): Promise<void> {
  const { adapter, unknownFrame } = options
  const [end, frame] =
    adapter.framing === 'json-lines'
      ? ['\n', unknownFrame ?? '{"type":"demo.unknown"}\n']
      : ['\n\n', unknownFrame ?? ': a comment\n\nevent: demo.unknown\ndata: {"type":"demo.unknown"}\n\n']
  if (frame === false || (typeof adapter.framing === 'function' && unknownFrame === undefined)) return
  const text = Buffer.from(body).toString('utf8').replaceAll('\r\n', '\n')
  const mixed = frame + text.replaceAll(end, end + frame)
  await decodesTo(options, example, [Buffer.from(mixed)], events, 'among unknown events')
}

export async function failsInside(options: ProviderSuiteOptions, { stream, kind }: InsideFailureExample): Promise<void> {
  const body = Buffer.from(stream!.body)
  for (const length of [body.length, 1, 7]) {
    const replayed = await decoded(options, options.examples[0]!, inPieces(body, length))
    assert.deepEqual(replayed.events, stream!.events, 'the events before the error')
    checkFailureInside(options, replayed, kind)
  }
}

async function decodesTo(
  options: ProviderSuiteOptions,
  example: ProviderExample,
  pieces: readonly Uint8Array[],
  events: readonly GenerationEvent[],
  how: string,
): Promise<void> {
  const replayed = await decoded(options, example, pieces)
  if (replayed.failure) throw replayed.failure
  assert.deepEqual(replayed.events, events, how)
}

function decoded(options: ProviderSuiteOptions, example: ProviderExample, pieces: readonly Uint8Array[]): Promise<Replayed> {
  return replay(options.adapter, callFor(options, example, true), { pieces })
}

function isAnswer({ failure, events }: Replayed): boolean {
  return failure === undefined && events.some(({ type }) => type === 'finish')
}

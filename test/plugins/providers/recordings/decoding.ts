import { isDeepStrictEqual } from 'node:util'
import type { OracleReading } from '../oracle/oracle.ts'
import type { RecordedReply, Recording } from '../../../kit/recordings.ts'
import { differ, differencesInSpeech, differencesInUsage, normalCalls } from './differences.ts'
import { readGenerationEvents } from './event-reading.ts'
import { cutShort, expectedFailure, lacksEnd } from './failures.ts'
import { cutUp, type Decoded, type Lengths, type PieceDecoder } from './pieces.ts'

const maxLengthForBytes = 20_000
const maxLengthForSmallPieces = 60_000

/** Decodes a reply in one piece, compares it with the oracle's reading, and then again in small pieces, which must change nothing. */
export async function checkDecoding(
  decoder: PieceDecoder,
  { status, mode }: Recording,
  reply: RecordedReply,
  oracle: OracleReading,
): Promise<DecodingCheck> {
  const stream = mode === 'stream'
  const decode = (lengths: Lengths): Promise<Decoded> => decoder.decode(status, reply.headers, cutUp(reply.body, lengths), stream)
  const whole = await decode(Infinity)
  const problems = differences(oracle, whole)
  const cuts = cutsOf(reply, stream)
  for (const [name, lengths] of cuts) {
    if (!isDeepStrictEqual(await decode(lengths), whole)) problems.push(`in ${name} it is decoded to something else than in one piece`)
  }
  return { problems, cuts: cuts.map(([name]) => name) }
}

export interface DecodingCheck {
  readonly problems: readonly string[]
  /** The ways in which the body was cut. */
  readonly cuts: readonly string[]
}

export function cutsOf({ body, pieces }: RecordedReply, stream: boolean): (readonly [name: string, lengths: Lengths])[] {
  const { byteLength } = body
  return [
    ...(stream && byteLength <= maxLengthForBytes ? [['pieces of 1 byte', 1] as const] : []),
    ...(stream && byteLength <= maxLengthForSmallPieces ? [['pieces of 7 bytes', 7] as const] : []),
    ...(pieces ? [['the pieces of the network', pieces] as const] : []),
  ]
}

function differences(oracle: OracleReading, { events, failure }: Decoded): string[] {
  const actual = readGenerationEvents(events)
  const expected = { ...oracle, toolCalls: normalCalls(oracle.toolCalls, oracle.finish === 'length') }
  const problems = [...differencesInSpeech(expected, actual), ...differencesInUsage(oracle.usage, actual.usage)]
  if (oracle.error) problems.push(...differ('kind of failure', expectedFailure(oracle.error).kind, failure?.kind))
  else if (lacksEnd(oracle)) {
    if (actual.finish !== null) problems.push(`finish: the vendor gave no reason to stop, and ${actual.finish} arrived`)
    if (failure) problems.push(...differ('kind of failure', cutShort.kind, failure.kind))
  } else {
    if (failure) problems.push(`it fails: ${String(failure.kind)} ${failure.message}`)
    problems.push(...differ('finish', finishOf(oracle), actual.finish))
  }
  return problems
}

/** Where a function was forced, vendors say `stop` although there are calls. */
function finishOf({ finish, toolCalls }: OracleReading): string | null {
  return finish === 'stop' && toolCalls.length > 0 ? 'tool-calls' : finish
}

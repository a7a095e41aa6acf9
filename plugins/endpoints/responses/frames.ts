import type { JsonObject } from '../../../core/index.ts'
import { jsonPieces, type Commitment } from '../../../core/kit.ts'

/** A frame with more characters is sent in pieces of this length. */
export const longFrameCharacters = 64 * 1024

/** The text around the JSON of an event. */
export interface Framing {
  /** The start of an event, up to and with the comma after its type. */
  head(type: string): string
  readonly end: string
  /** Breaks the silence before there is an event to send. */
  readonly comment?: string
  /**
   * A stream that fails has an `error` event before `response.failed`. Otherwise an answer has a single last event, and none if it fails
   * before its first.
   */
  readonly hasErrorEvents: boolean
  /** More members of `response.created`. */
  opening?(commitment: Commitment): JsonObject
}

export const serverSentEvents: Framing = {
  head: type => `event: ${type}\ndata: {"type":"${type}",`,
  end: '}\n\n',
  comment: ': keep-alive\n\n',
  hasErrorEvents: true,
}

/** Deltas use `deltaFrame` instead, which encodes only their text. */
export function frame({ head, end }: Framing, type: string, sequence: number, members: string): string {
  return `${head(type)}"sequence_number":${sequence},${members}${end}`
}

/** The same text in pieces. The fields must not change until the last one is taken. */
export function* longFrame({ head, end }: Framing, type: string, sequence: number, fields: object): Generator<string, void> {
  let start = `${head(type)}"sequence_number":${sequence},`
  let first = 1
  for (const piece of jsonPieces(fields, longFrameCharacters)) {
    yield start + piece.slice(first)
    start = ''
    first = 0
  }
  // The pieces end with the brace of the object.
  yield end.slice(1)
}

/** The JSON of an event's members, without braces, for `frame`. */
export function membersOf(fields: object): string {
  return JSON.stringify(fields).slice(1, -1)
}

/** The constant start of a delta's frame, made once per part, so that each delta only encodes its text. */
export function deltaHead({ head }: Framing, type: string, fields: object): string {
  return `${head(type)}${membersOf(fields)},"delta":`
}

export function deltaFrame({ end }: Framing, head: string, delta: string, sequence: number, rest: string): string {
  return `${head}${JSON.stringify(delta)}${rest},"sequence_number":${sequence}${end}`
}

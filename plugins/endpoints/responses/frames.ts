import { jsonPieces } from '../../../core/kit.ts'

/** A frame with more characters is sent in pieces of this length. */
export const longFrameCharacters = 64 * 1024

/** A server-sent event. Deltas use `deltaFrame` instead, which encodes only their text. */
export function frame(type: string, sequence: number, members: string): string {
  return `${frameHead(type, sequence)}${members}}\n\n`
}

/** The same text in pieces. The fields must not change until the last one is taken. */
export function* longFrame(type: string, sequence: number, fields: object): Generator<string, void> {
  let start = frameHead(type, sequence)
  let first = 1
  for (const piece of jsonPieces(fields, longFrameCharacters)) {
    yield start + piece.slice(first)
    start = ''
    first = 0
  }
  yield '\n\n'
}

function frameHead(type: string, sequence: number): string {
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},`
}

/** The JSON of an event's members, without braces, for `frame`. */
export function membersOf(fields: object): string {
  return JSON.stringify(fields).slice(1, -1)
}

/** The constant start of a delta's frame, made once per part, so that each delta only encodes its text. */
export function deltaHead(type: string, fields: object): string {
  return `event: ${type}\ndata: {"type":"${type}",${membersOf(fields)},"delta":`
}

export function deltaFrame(head: string, delta: string, sequence: number, rest: string): string {
  return `${head}${JSON.stringify(delta)}${rest},"sequence_number":${sequence}}\n\n`
}

import { setImmediate } from 'node:timers/promises'
import { GatewayError, invalidRequest } from '../foundation/errors.ts'
import { own, wording, type Wording } from '../foundation/wording.ts'
import { acceptedEncodings, decompressed } from './decompression.ts'
import { checkJsonLimits } from './json-limits.ts'
import { incompleteBody } from './incomplete-body.ts'
import type { Channel } from './channel.ts'
import type { LiveBody } from './live-bodies.ts'

/** V8 checks and parses so many characters in 5 ms. */
const longCharacters = 256 * 1024
const byteOrderMark = 0xfeff

/** The text of a body that is announced as JSON. 415 for anything else, 413 for one that is too large once it is decompressed. */
export function readText(request: Channel, maxBytes: number, live: LiveBody): Promise<string> {
  const type = request.headers.get('content-type')
  if (!type || !/^application\/(?:[\w.+-]*\+)?json *(?:;|$)/i.test(type)) {
    throw unsupported(
      wording`The content type must be application/json; ${type ? wording`it is ${type.slice(0, 100)}` : wording`none was sent`}.`,
    )
  }
  const encoding = encodingOf(request)
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes)
  if (announced !== null) live.hold(Number(announced))
  if (encoding !== undefined) return collected(decompressed(piecesOf(request), encoding), maxBytes, live)
  return announced !== null ? request.text() : collected(piecesOf(request), maxBytes, live)
}

export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

/** Throws 400 if the text is not JSON, or if parsing it would block the event loop for too long. */
export function jsonIn(text: string): unknown {
  if (text.trim() === '') throw invalidRequest(wording`The body is empty. Expected a JSON object.`, undefined, 'invalid_json')
  checkJsonLimits(text)
  return parse(text)
}

/** The same for a text that may have more values, which is checked in one turn of the event loop and parsed in the next. */
export async function longJsonIn(text: string, maxValues: number): Promise<unknown> {
  if (text.length < longCharacters) return jsonIn(text)
  checkJsonLimits(text, maxValues)
  await setImmediate()
  return parse(text)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the text around the error. That is content, so only the position is passed on.
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? []
    throw invalidRequest(
      wording`The body is not valid JSON${position ? wording`: the mistake is at character ${own(position)}` : wording``}.`,
      undefined,
      'invalid_json',
    )
  }
}

/** The encoding of a body, if it is compressed. */
function encodingOf({ headers }: Channel): string | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return undefined
  const known = encoding === 'x-gzip' ? 'gzip' : encoding
  if (acceptedEncodings.includes(known)) return known
  throw unsupported(
    wording`The content encoding "${encoding.slice(0, 100)}" is not supported. Use one of ${own(acceptedEncodings.join(', '))}, or send the body without content-encoding.`,
    { 'accept-encoding': acceptedEncodings.join(', ') },
  )
}

async function collected(pieces: AsyncIterable<Uint8Array>, maxBytes: number, live: LiveBody): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of pieces) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      live.hold(bytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof GatewayError ? error : undecodable(error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* piecesOf(request: Channel): AsyncIterable<Uint8Array> {
  try {
    yield* request.pieces()
  } catch (error) {
    throw incompleteBody(error)
  }
}

function undecodable(cause: unknown): GatewayError {
  return new GatewayError({
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_encoding',
    message: wording`The body cannot be decompressed. Check that it is complete and that content-encoding names its actual compression.`,
    cause,
  })
}

function unsupported(message: Wording, headers?: Readonly<Record<string, string>>): GatewayError {
  return new GatewayError({
    status: 415,
    type: 'invalid_request_error',
    code: 'unsupported_media_type',
    message,
    ...(headers && { headers }),
  })
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError({
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: wording`The body is larger than the limit of ${own(maxBytes)} bytes.`,
  })
}

import { GatewayError, invalidRequest } from '../errors.ts'
import { isDeeperThan } from './depth.ts'

const maximumDepth = 128

/** Reads a request's body as JSON: 415 for anything else, 413 over the limit, 400 for what does not parse or nests too deeply. */
export async function readJson(request: Request, maximumBytes: number): Promise<unknown> {
  const type = request.headers.get('content-type')
  if (!type || !/^application\/(?:[\w.+-]*\+)?json *(?:;|$)/i.test(type)) {
    throw new GatewayError({
      status: 415,
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
      message: `The content type must be application/json; ${type ? `it is ${type.slice(0, 100)}` : 'none was sent'}.`,
    })
  }
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new GatewayError({
      status: 415,
      type: 'invalid_request_error',
      code: 'unsupported_media_type',
      message: 'A compressed body is not supported. Send it without content-encoding.',
    })
  }
  const text = await readText(request, maximumBytes)
  if (text.trim() === '') throw invalidRequest('The body is empty. Expected a JSON object.', undefined, 'invalid_json')
  const value = parse(text)
  if (isDeeperThan(value, maximumDepth))
    throw invalidRequest(`The body nests deeper than ${maximumDepth} levels.`, undefined, 'invalid_json')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the text around the mistake: content, so only the place is told.
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? []
    throw invalidRequest(
      `The body is not valid JSON${position ? `: the mistake is at character ${position}` : ''}.`,
      undefined,
      'invalid_json',
    )
  }
}

async function readText(request: Request, maximumBytes: number): Promise<string> {
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > maximumBytes) throw tooLarge(maximumBytes)
    return await request.text().catch(unreadable)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maximumBytes) throw tooLarge(maximumBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error
    unreadable(error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function unreadable(cause: unknown): never {
  throw new GatewayError({
    status: 400,
    type: 'invalid_request_error',
    code: 'incomplete_body',
    message: 'The body ended before it was complete.',
    cause,
  })
}

function tooLarge(maximumBytes: number): GatewayError {
  return new GatewayError({
    status: 413,
    type: 'invalid_request_error',
    code: 'request_too_large',
    message: `The body is larger than the limit of ${maximumBytes} bytes.`,
  })
}

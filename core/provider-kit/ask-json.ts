import type { UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient } from '../contracts/http-client.ts'

const maxBytes = 8_000_000

/** Sends a small request. Throws unless the answer is a JSON object. */
export async function askJson(http: HttpClient, request: UpstreamRequest, signal: AbortSignal): Promise<object> {
  const headers = {
    accept: 'application/json',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  }
  const { status, body } = await http.send({ ...request, headers }, { signal })
  if (status !== 200) {
    // An unhandled error event would end the process.
    body.on('error', () => {}).destroy()
    throw new Error(`expected status 200, got ${status}`)
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error(`expected at most ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  if (typeof parsed !== 'object' || parsed === null) throw new Error('expected a JSON object')
  return parsed
}

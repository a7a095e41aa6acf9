import type { ProviderAdapter, UpstreamRequest } from '../contracts/adapter.ts'
import type { HttpClient } from '../contracts/http-client.ts'
import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'
import { networkFailure } from '../upstream/network-failure.ts'

const maxBytes = 8_000_000

/**
 * Sends a small request. Throws unless the status is below 300 and the answer is a JSON object. `failureFrom`: an adapter's `failure`. A provider
 * that asks in an attempt passes it, and gets every error as a `ProviderFailure`, or as the signal's reason.
 */
export async function askJson(
  http: HttpClient,
  request: UpstreamRequest,
  signal: AbortSignal,
  failureFrom?: ProviderAdapter['failure'],
): Promise<object> {
  const sent = {
    accept: 'application/json',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  }
  const { status, headers, body } = await http.send({ ...request, headers: sent }, { signal })
  if (status >= 300 && !failureFrom) {
    // An unhandled error event would end the process.
    body.on('error', () => {}).destroy()
    throw new Error(`expected a status below 300, got ${status}`)
  }
  const text = await textOf(body, signal)
  if (status >= 300) throw failureFrom!(status, headers, text)
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // Not JSON, which the error below says without a quote.
  }
  const message = wording`The provider sent a reply that is not a JSON object.`
  throw new ProviderFailure({ kind: 'protocol', message, upstream: text })
}

async function textOf(body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw networkFailure(error, signal)
  }
  if (bytes > maxBytes)
    throw new ProviderFailure({ kind: 'protocol', message: wording`The provider sent a reply of more than ${own(maxBytes)} bytes.` })
  return Buffer.concat(chunks).toString('utf8')
}

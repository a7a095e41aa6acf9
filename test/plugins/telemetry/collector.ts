import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { attributesOf, decode, itemsOf, type Decoded, type SignalName } from './otlp.ts'

export interface Received {
  readonly signal: SignalName
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Collector {
  readonly url: string
  /** The requests that it answered with a success. */
  readonly received: readonly Received[]
  /** How many requests it got. */
  readonly count: number
  spans(): readonly Decoded[]
  logs(): readonly Decoded[]
  /** The points of each metric, as it was received last. */
  metrics(): ReadonlyMap<string, readonly Decoded[]>
  /** Everything that it received, as text. */
  text(): string
}

/** How it answers. Default: with 200 and nothing rejected. */
export type Answer = (request: Received, response: ServerResponse, count: number) => void

/** A collector on loopback. */
export async function collector(t: Test, answer?: Answer): Promise<Collector> {
  const received: Received[] = []
  let count = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      const sent = Buffer.concat(chunks)
      const path = request.url!
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
      const one: Received = { signal: path.split('/').at(-1) as SignalName, path, headers: request.headers, body }
      count++
      if (!answer) response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
      else answer(one, response, count)
      if (response.statusCode === 200) received.push(one)
    })
    request.on('error', () => {})
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  const items = (signal: SignalName): readonly Decoded[] =>
    received.filter(each => each.signal === signal).flatMap(({ body }) => itemsOf(signal, decode(signal, body)))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get count() {
      return count
    },
    spans: () => items('traces').map(span => ({ ...span, at: attributesOf(span) })),
    logs: () => items('logs').map(log => ({ ...log, at: attributesOf(log) })),
    metrics() {
      const last = received.findLast(({ signal }) => signal === 'metrics')
      const metrics = last ? itemsOf('metrics', decode('metrics', last.body)) : []
      return new Map(
        metrics.map(({ name, sum, histogram }) => [
          name,
          (sum ?? histogram).data_points.map((point: Decoded) => ({ ...point, at: attributesOf(point) })),
        ]),
      )
    },
    text: () => received.map(({ path, headers, body }) => `${path} ${JSON.stringify(headers)} ${body.toString('latin1')}`).join('\n'),
  }
}

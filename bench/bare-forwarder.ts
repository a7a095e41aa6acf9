import { createServer } from 'node:http'
import { Agent } from 'undici'

// The cheapest honest gateway: node:http, undici, bytes passed through unread.

const upstream = process.env['BENCH_UPSTREAM']!
const agent = new Agent({ keepAliveTimeout: 30_000 })

const server = createServer(async (incoming, outgoing) => {
  try {
    const reply = await agent.request({
      origin: upstream,
      path: incoming.url!,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': incoming.headers['content-length'],
        authorization: incoming.headers.authorization,
      },
      body: incoming,
    })
    const headers: Record<string, string> = { 'content-type': String(reply.headers['content-type']) }
    if (reply.headers['content-length']) headers['content-length'] = String(reply.headers['content-length'])
    outgoing.writeHead(reply.statusCode, headers)
    reply.body.on('error', () => outgoing.destroy())
    outgoing.on('close', () => reply.body.destroy())
    reply.body.pipe(outgoing)
  } catch {
    outgoing.writeHead(502).end()
  }
})
server.listen(Number(process.env['BENCH_PORT']), '127.0.0.1')

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

export interface ConnectProxy {
  readonly url: string
  /** The requests that it got: `CONNECT api.example.com:443`, `POST http://api.example.com/v1`. */
  readonly asked: string[]
  readonly authorizations: (string | undefined)[]
  close(): Promise<void>
}

/** A proxy on loopback. It connects every request to one server, also on loopback. `answer` replaces its reply to CONNECT. */
export async function connectProxy(port: number, answer = 'HTTP/1.1 200 Connection established\r\n\r\n'): Promise<ConnectProxy> {
  const asked: string[] = []
  const authorizations: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = createServer((incoming, reply) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    const { host, 'content-type': contentType } = incoming.headers
    const onward = request({
      port,
      host: '127.0.0.1',
      method: incoming.method!,
      path: new URL(incoming.url!).pathname,
      headers: { host, ...(contentType && { 'content-type': contentType }) },
    })
    onward.on('response', response => response.pipe(reply.writeHead(response.statusCode!)))
    incoming.pipe(onward)
  })
  server.on('connection', socket => void sockets.add(socket.on('error', () => {})))
  server.on('connect', (incoming, socket: Socket) => {
    asked.push(`CONNECT ${incoming.url}`)
    authorizations.push(incoming.headers['proxy-authorization'])
    socket.write(answer)
    if (!answer.startsWith('HTTP/1.1 200')) return
    const onward = connect(port, '127.0.0.1').on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
    socket.pipe(onward).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    authorizations,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

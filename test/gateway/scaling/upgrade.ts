import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Replica } from './replica.ts'

/** Opens a WebSocket. Its connection, or the status of the refusal. */
export async function upgrade(replica: Pick<Replica, 'url'>, key: string): Promise<Duplex | number> {
  return await new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    }
    request(`${replica.url}/v1/responses`, { headers, agent: false })
      .on('upgrade', (_, socket) => resolve(socket.on('error', () => {})))
      .on('response', reply => resolve(reply.resume().statusCode!))
      .on('error', reject)
      .end()
  })
}

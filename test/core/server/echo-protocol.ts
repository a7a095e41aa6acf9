import type { Duplex } from 'node:stream'
import { GatewayError } from '../../../core/index.ts'
import type { Connection, ConnectionProtocol, GatewayServices } from '../../../core/kit.ts'
import { TextSink } from '../../kit/text-sink.ts'

// A small protocol by hand: each line is a message, and each is answered with a line.

/** Everything else makes the model `sandbox/echo` say it. */
const orders: Readonly<Record<string, (socket: Duplex) => void>> = {
  'throw in the listener': () => {
    throw new TypeError('CANARY of a listener')
  },
  bye: socket => socket.end('bye\n'),
}

export const accepted = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n'

export function echo(more: Partial<ConnectionProtocol> = {}): ConnectionProtocol {
  return {
    protocol: 'echo',
    path: '/v1/echo',
    idPrefix: 'msg',
    open(connection, gateway) {
      const { socket, head } = connection
      socket.write(accepted)
      let rest = ''
      const read = (chunk: Buffer): void => {
        const lines = (rest + String(chunk)).split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          const order = orders[line]
          if (order) order(socket)
          else void answer(connection, gateway, line)
        }
      }
      read(head)
      socket.on('data', read)
      connection.onStop(() => socket.end('stopping\n'))
    },
    ...more,
  }
}

async function answer(connection: Connection, gateway: GatewayServices, line: string): Promise<void> {
  const [, authorization, text = line] = /^(Bearer \S+) (.*)$/.exec(line) ?? []
  const sink = new TextSink()
  const error = await connection.serve(async scope => {
    if (text === 'throw') throw new TypeError('CANARY of a message')
    if (text === 'refuse')
      return new GatewayError({ status: 400, type: 'invalid_request_error', code: 'invalid_value', message: 'Not this.' })
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] as const
    const outcome = await gateway.generate(scope, { model: 'sandbox/echo', input }, sink).finished
    return outcome instanceof GatewayError ? outcome : undefined
  }, authorization)
  if (!connection.socket.destroyed) connection.socket.write(error ? `error ${error.status} ${error.code}\n` : `${sink.text}\n`)
}

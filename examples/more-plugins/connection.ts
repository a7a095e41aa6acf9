// A protocol of text lines: each line that a peer sends on `/v1/lines` is a question, and the answer is a line.

import { createInterface } from 'node:readline'
import { definePlugin, GatewayError } from 'turnpike'
import { Connections, type GenerationSink, type ItemEvent } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-lines',
  contracts: { Connections: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { model: { type: 'string', minLength: 1, default: 'sandbox/echo', description: 'The model that answers.' } },
  },
  setup(gateway, { model }) {
    gateway.add(Connections, {
      protocol: 'lines',
      path: '/v1/lines',
      async open(connection, services) {
        const { socket, head } = connection
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: lines\r\n\r\n')
        socket.unshift(head)
        connection.onStop(() => socket.end())
        connection.onRevoked(() => socket.end())
        // A peer that never ends its line would fill the memory.
        let openBytes = 0
        socket.on('data', (bytes: Buffer) => {
          openBytes = bytes.includes('\n') ? bytes.length - bytes.lastIndexOf('\n') - 1 : openBytes + bytes.length
          if (openBytes > connection.maxMessageBytes) socket.destroy()
        })
        try {
          for await (const line of createInterface({ input: socket })) {
            const sink = new LineSink()
            const request = { model, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: line }] }] } as const
            const error = await connection.serve(async scope => {
              const outcome = await services.generate(scope, request, sink).finished
              return outcome instanceof GatewayError ? outcome : undefined
            })
            socket.write(`${error ? `error ${error.code}` : sink.text.replaceAll('\n', ' ')}\n`)
          }
        } catch (error) {
          // A peer may reset its connection.
          if (socket.errored === null) throw error
        }
        socket.end()
      },
    })
  },
})

/** Keeps the text of an answer, and nothing else. */
class LineSink implements GenerationSink {
  readonly full = false
  text = ''

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type === 'text') this.text += event.text
  }

  close() {
    return { id: 'line', body: { text: this.text } }
  }

  end(): void {}

  fail(): void {}

  async drained(): Promise<void> {}
}

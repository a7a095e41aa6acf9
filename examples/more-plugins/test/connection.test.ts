import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import sandbox from 'turnpike/plugins/providers/sandbox'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'
import { conformance, testGateway } from 'turnpike/testing'
import connection from '../connection.ts'

await conformance(connection({}), { test })

test('each line gets its answer on the same connection', async () => {
  const { gateway, apiKey, stop } = await testGateway({
    plugins: [memory({}), localSealer({ masterKey: '0'.repeat(64) }), sandbox({}), connection({})],
  })
  const server = createServer(gateway.http.listener).listen(0, '127.0.0.1')
  gateway.connections.serveOn(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const headers = { connection: 'Upgrade', upgrade: 'lines', authorization: `Bearer ${apiKey}` }
  const asking = request({ port, path: '/v1/lines', headers }).end()
  const [reply, socket] = (await once(asking, 'upgrade')) as [{ readonly statusCode: number }, Duplex]
  assert.equal(reply.statusCode, 101)
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  for (const text of ['Hello', 'Good morning']) {
    socket.write(`${text}\n`)
    assert.equal((await lines.next()).value, text)
  }
  socket.end()
  await once(socket, 'close')
  server.close()
  await stop()
})

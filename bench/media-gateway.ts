// The gateway of media.ts: sends its URL and key, then, for each message, the longest stall of its event loop since the last one.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway } from '../core/gateway.ts'
import responses from '../plugins/endpoints/responses/index.ts'
import bedrock from '../plugins/providers/bedrock/index.ts'
import gemini from '../plugins/providers/gemini/index.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import memory from '../plugins/stores/memory/index.ts'

const [vendor = '', mediaHost = ''] = process.argv.slice(2)
const gateway = await createGateway({
  plugins: [
    memory({}),
    localSealer({ masterKey: 'ab'.repeat(32) }),
    responses({}),
    gemini({ apiKey: 'demo-key-0001', baseUrl: vendor }),
    bedrock({ baseUrl: vendor, region: 'us-east-1', credentials: { accessKeyId: 'AKIADEMO', secretAccessKey: 'demo-secret-0001' } }),
  ],
  settings: { mediaHosts: [mediaHost], logLevel: 'silent' },
})
const server = createServer(gateway.http.listener).listen(0, '127.0.0.1')
await new Promise(resolve => server.once('listening', resolve))
// CPU time of the main thread between two turns of the event loop, which other processes do not affect.
let stallMs = 0
let last = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  stallMs = Math.max(stallMs, (user + system) / 1000)
  last = process.threadCpuUsage()
}, 1)
process.on('message', () => {
  process.send!({ stallMs, residentMb: process.memoryUsage.rss() / 1e6 })
  stallMs = 0
})
process.send!({ port: (server.address() as AddressInfo).port, key: await gateway.issueKey({ name: 'bench', policy: {} }) })

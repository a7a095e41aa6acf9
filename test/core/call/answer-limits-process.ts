// A gateway in a separate process, to measure its memory. It answers each message with its highest memory.
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { listeningGateway } from '../../kit/gateway.ts'

const sampleMs = 20

const under = await listeningGateway({
  plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl: process.argv[2]!, host: 'compatible' })],
  settings: { logLevel: 'silent', ...(process.argv[3] && { maxAnswerBytes: Number(process.argv[3]) }) },
})
let highestBytes = 0
setInterval(() => void (highestBytes = Math.max(highestBytes, process.memoryUsage.rss())), sampleMs)
process.on('message', () => process.send!({ highestBytes }))
process.on('disconnect', () => process.exit(0))
process.send!({ url: under.url, apiKey: under.apiKey })

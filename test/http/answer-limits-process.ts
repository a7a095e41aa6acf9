// A gateway in a process of its own, whose memory the test watches. Answers to any line on standard input with its memory in bytes.
import { createInterface } from 'node:readline'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import { listeningGateway } from '../gateway.ts'

const under = await listeningGateway({
  plugins: [openaiChat({ id: 'acme', apiKey: 'sk-demo-1', baseUrl: process.argv[2]!, host: 'compatible' })],
  settings: { logLevel: 'silent' },
})
let highest = 0
setInterval(() => void (highest = Math.max(highest, process.memoryUsage.rss())), 20)
process.send!({ url: under.url, apiKey: under.apiKey })
process.on('message', () => process.send!({ highest }))
process.on('disconnect', () => process.exit(0))
void createInterface

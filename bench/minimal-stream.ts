import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createParser } from 'eventsource-parser'
import { Agent } from 'undici'

// The minimum for translating a chat stream into a Responses stream: no validation, no keys, no accounting, no
// back-pressure, text only. One write per upstream chunk.

const upstream = process.env['BENCH_UPSTREAM']!
const agent = new Agent({ keepAliveTimeout: 30_000 })

interface ChatChunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

createServer((incoming, outgoing) => {
  translate(incoming, outgoing).catch(() => outgoing.destroy())
}).listen(Number(process.env['BENCH_PORT']), '127.0.0.1')

async function translate(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = JSON.parse(await readText(incoming)) as { readonly model: string; readonly input: string }
  const reply = await agent.request({
    origin: upstream,
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-demo-upstream' },
    body: JSON.stringify({
      model: request.model,
      messages: [{ role: 'user', content: request.input }],
      stream: true,
      stream_options: { include_usage: true },
    }),
  })
  outgoing.on('close', () => reply.body.destroy())
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })

  const head =
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"msg_0000000000000000","output_index":0,"content_index":0,"logprobs":[],"delta":'
  let pending =
    'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_0000000000000000"}}\n\n'
  let text = ''
  let sequence = 1
  let usage: ChatChunk['usage']
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return
      const chunk = JSON.parse(data) as ChatChunk
      if (chunk.usage) usage = chunk.usage
      const delta = chunk.choices[0]?.delta.content
      if (!delta) return
      text += delta
      pending += `${head}${JSON.stringify(delta)},"sequence_number":${sequence++}}\n\n`
    },
  })
  const decoder = new TextDecoder()
  for await (const bytes of reply.body) {
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }))
    if (pending) outgoing.write(pending)
    pending = ''
  }
  outgoing.end(
    `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: sequence, response: { id: 'resp_0000000000000000', output_text: text, usage } })}\n\n`,
  )
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = ''
  incoming.setEncoding('utf8')
  for await (const part of incoming) text += part
  return text
}

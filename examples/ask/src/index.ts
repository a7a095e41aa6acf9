// POST /v1/ask takes a model and a text, and answers with a text.

import { definePlugin, GatewayError, invalidRequest, Routes, type Exchange, type Reply } from 'turnpike'
import { gatewayHeaders, type GatewayServices, type GenerationSink, type ItemEvent } from 'turnpike/kit'

export default definePlugin({
  name: 'ask',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Routes, { method: 'POST', path: '/v1/ask', auth: 'key', handle: answer })
  },
})

async function answer(exchange: Exchange, gateway: GatewayServices): Promise<Reply> {
  const { model, text } = question(await exchange.json())
  const sink = new TextSink(exchange.id)
  const request = { model, input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] } as const
  const outcome = await gateway.generate(exchange, request, sink).finished
  // The gateway makes an error reply of it.
  if (outcome instanceof GatewayError) throw outcome
  const { endpoint, attempts } = outcome
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...gatewayHeaders({ provider: endpoint.provider, attempts }) },
    body: JSON.stringify({ text: sink.text }),
  }
}

interface Question {
  readonly model: string
  readonly text: string
}

function question(body: unknown): Question {
  const { model, text } = (typeof body === 'object' && body !== null ? body : {}) as Partial<Question>
  if (typeof model !== 'string') throw invalidRequest('Expected the name of a model, such as "sandbox/echo".', 'model')
  if (typeof text !== 'string') throw invalidRequest('Expected a text.', 'text')
  return { model, text }
}

/** Keeps the text of an answer, and nothing else. */
class TextSink implements GenerationSink {
  readonly id: string
  readonly full = false
  text = ''

  constructor(id: string) {
    this.id = id
  }

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type === 'text') this.text += event.text
  }

  close() {
    return { id: this.id, body: { text: this.text } }
  }

  end(): void {}

  fail(): void {}

  async drained(): Promise<void> {}
}

// What a surface for texts has beside it.

import type { GenerationRequest } from 'turnpike'
import type { GenerationSink, ItemEvent } from 'turnpike/kit'

export function requestOf(text: string): GenerationRequest {
  return { model: 'sandbox/echo', input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] }
}

export class TextSink implements GenerationSink {
  readonly full = false
  text = ''

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type === 'text') this.text += event.text
  }

  close() {
    return { id: 'demo', body: { text: this.text } }
  }

  end(): void {}

  fail(): void {}

  async drained(): Promise<void> {}
}

import type { GenerationSink, ItemEvent } from '../../core/kit.ts'

/** The sink of a surface that shows the text of an answer and nothing else. */
export class TextSink implements GenerationSink {
  readonly id: string
  readonly full = false
  text = ''
  /** Set at the end of the answer. */
  stored: boolean | undefined

  constructor(id = 'said_1') {
    this.id = id
  }

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type === 'text') this.text += event.text
  }

  close() {
    return { id: this.id, body: { said: this.text } }
  }

  end(stored: boolean): void {
    this.stored = stored
  }

  fail(): void {}

  async drained(): Promise<void> {}
}

import type { StreamBody } from '../../../core/kit.ts'

/** `events`: server-sent events, which the caller asks for with `alt=sse`. `list`: one JSON array that grows. */
export type StreamForm = 'events' | 'list'

/** Writes the responses of a stream, each as JSON. */
export class ChunkBody {
  readonly #body: StreamBody
  readonly #form: StreamForm
  #begun = false

  constructor(body: StreamBody, form: StreamForm) {
    this.#body = body
    this.#form = form
    body.openWith(form === 'events' ? '' : '\n')
    body.onSilence(() => this.#beat())
  }

  get full(): boolean {
    return this.#body.full
  }

  drained(): Promise<void> {
    return this.#body.drained()
  }

  write(json: string): void {
    if (this.#form === 'events') this.#body.write(`data: ${json}\n\n`)
    else this.#body.write(`${this.#begun ? ',' : '['}${json}`)
    this.#begun = true
  }

  /** Clients of this API read neither comments nor blank lines between events, so an event that says nothing has to do. */
  #beat(): void {
    if (this.#form === 'events') this.#body.write(`data: ${nothingSaid}\n\n`)
    else this.#body.write('\n')
  }

  end(): void {
    if (this.#form === 'list') this.#body.write(this.#begun ? ']' : '[]')
    this.#body.end()
  }

  /** The vendor prints an error behind the events, not as one of them: its SDKs take that for a failure, whatever their version. */
  fail(json: string): void {
    if (this.#form === 'events') this.#body.write(`${json}\n`)
    else this.#body.write(`${this.#begun ? ',' : '['}${json}]`)
    this.#body.end()
  }

  abandon(): void {
    this.#body.abandon()
  }
}

const nothingSaid = JSON.stringify({ candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0 }] })

import type { Step } from '../step.ts'

const maxBytes = 64_000

/** The beginning of the body of a reply. */
export class WireText {
  readonly #decoder = new TextDecoder()
  #text = ''
  #bytes = 0
  #isShown = false

  add(bytes: Uint8Array): void {
    const isRoom = this.#bytes < maxBytes
    this.#bytes += bytes.byteLength
    if (isRoom) this.#text += this.#decoder.decode(bytes, { stream: true })
  }

  /** Call it once the body is over. */
  show(step: Step): void {
    if (this.#isShown || this.#bytes === 0) return
    this.#isShown = true
    step.fact('bytes received', this.#bytes)
    step.show('body of the reply', parsed(this.#text))
  }
}

/** JSON, the frames of a stream of events, or the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return /^(?:event|data|id|:)/.test(text) ? text.split(/\r?\n\r?\n/).filter(frame => frame !== '') : text
  }
}

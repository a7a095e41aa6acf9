import type { CopyProgress } from '../../plugins/stores/sql/copy/copy.ts'

const lineEveryMs = 10_000

/** Shows how far a copy is: in one line of a terminal, or as lines that a log can keep. */
export class Progress {
  readonly #output: NodeJS.WriteStream
  #lastLineAt = performance.now()

  constructor(output: NodeJS.WriteStream) {
    this.#output = output
  }

  show({ step, table, rows, ofRows }: CopyProgress): void {
    const isDone = rows >= ofRows
    const of = isDone ? '' : ` of ${shown(ofRows)}`
    const text = `${step === 'check' ? 'checked again' : 'copied'} ${shown(rows)}${of} rows of ${table}`
    if (this.#output.isTTY) {
      this.#output.write(`\r\u001b[2K${text}${isDone ? '\n' : ''}`)
      return
    }
    if (!isDone && performance.now() - this.#lastLineAt < lineEveryMs) return
    this.#lastLineAt = performance.now()
    this.#output.write(`${text}\n`)
  }
}

/** 200000 as 200,000. */
export function shown(count: number): string {
  return count.toLocaleString('en-US')
}

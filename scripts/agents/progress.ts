import { plain, type Turn } from '../clients/vendor/question.ts'
import { command, files } from './task.ts'

/** The wrong line of a file, as a tool showed it. */
export interface Mistake {
  readonly from: string
  readonly to: string
}

interface Notes {
  readonly mistakes: Readonly<Record<string, Mistake>>
  readonly mended: readonly string[]
  readonly test: Progress['test']
  readonly mayChange: boolean
  readonly folder: string
}

const mistakePattern = /(export const \w+ = )\S+ \/\/ TODO (\w+): (\d+)/
const folderPattern = /folder (\/[^\s,]+[^\s,.])/
const notesPattern = /NOTES (\{.*?\}) END/s

/** The work as a conversation shows it: the model has no other memory. */
export class Progress {
  readonly mistakes = new Map<string, Mistake>()
  readonly mended = new Set<string>()
  /** As it was when it last ran after the last change. */
  test: 'unknown' | 'failed' | 'passed' = 'unknown'
  mayChange = true
  /** The prompt names it. */
  folder = '.'
  /** The words of tools, by file, when an edit did not work. */
  readonly trouble = new Map<string, readonly string[]>()
  readonly #calls = new Map<string, string>()
  readonly #unanswered: string[] = []

  constructor(turns: readonly Turn[]) {
    for (const turn of turns) this.#follow(turn)
  }

  /** Everything, for a summary from which it can be read again. */
  get notes(): string {
    const { mistakes, mended, test, mayChange, folder } = this
    const notes: Notes = { mistakes: Object.fromEntries(mistakes), mended: [...mended], test, mayChange, folder }
    return `NOTES ${JSON.stringify(notes)} END`
  }

  #follow(turn: Turn): void {
    if (turn.type === 'said') this.#heard(turn)
    else if (turn.type === 'called') {
      this.#calls.set(turn.id, turn.input)
      this.#unanswered.push(turn.input)
    } else if (turn.type === 'returned') {
      // Vendors without ids keep the order.
      const input = this.#calls.get(turn.id) ?? this.#unanswered[0] ?? ''
      this.#unanswered.splice(Math.max(this.#unanswered.indexOf(input), 0), 1)
      this.#saw(input, plain(turn.text))
    }
  }

  #heard({ by, text }: Extract<Turn, { type: 'said' }>): void {
    const [, notes] = notesPattern.exec(text) ?? []
    if (notes !== undefined) return this.#remember(JSON.parse(notes) as Notes)
    if (by !== 'user') return
    this.folder = folderPattern.exec(text)?.[1] ?? this.folder
    if (/change nothing/i.test(text)) this.mayChange = false
    else if (/mend/i.test(text)) this.mayChange = true
  }

  #remember({ mistakes, mended, test, mayChange, folder }: Notes): void {
    for (const [file, mistake] of Object.entries(mistakes)) this.mistakes.set(file, mistake)
    for (const file of mended) this.mended.add(file)
    this.test = test
    this.mayChange = mayChange
    this.folder = folder
  }

  /** To be read again: some clients refuse to edit what they have not shown since. */
  #failed(file: string, output: string): void {
    this.trouble.set(file, [...(this.trouble.get(file) ?? []), output])
    this.mistakes.delete(file)
  }

  #saw(input: string, output: string): void {
    const named = files.filter(file => input.includes(file))
    if (input.includes('DONE')) {
      this.test = 'unknown'
      const failed = /error|fail|denied|not (been )?(found|read)|unsupported/i.test(output)
      for (const file of named) {
        if (failed) this.#failed(file, output)
        else this.mended.add(file)
      }
    } else if (named.length > 0) {
      const [from, start, code, right] = mistakePattern.exec(output) ?? []
      if (from !== undefined) this.mistakes.set(named[0]!, { from, to: `${start}${right} // DONE ${code}` })
    } else if (input.includes(command)) this.test = /\bfail 0\b/.test(output) && /\bpass [1-9]/.test(output) ? 'passed' : 'failed'
  }
}

import type { SiblingAnswers, Siblings } from '../../core/contracts/siblings.ts'
import type { Order, Report } from './messages.ts'

type Answer = () => string | PromiseLike<string>

interface Question {
  readonly answers: { readonly worker: number; readonly text: string }[]
  /** How many were asked and have not said anything yet. Undefined before the parent has passed the question on. */
  open: number | undefined
  silent: number
  readonly end: () => void
}

/** The other workers, as one worker reaches them: the parent passes questions and answers on. */
export class WorkerSiblings implements Siblings {
  readonly worker: number
  readonly #report: (told: Report) => void
  readonly #answers = new Map<string, Answer>()
  readonly #questions = new Map<number, Question>()
  #asked = 0

  constructor(worker: number, report: (told: Report) => void) {
    this.worker = worker
    this.#report = report
  }

  answer(name: string, answer: Answer): void {
    this.#answers.set(name, answer)
  }

  ask(name: string, withinMs: number): Promise<SiblingAnswers> {
    const id = ++this.#asked
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        this.#questions.delete(id)
        // A parent that does not pass the question on hangs, or is gone.
        resolve({ answers: question.answers, silent: question.silent + (question.open ?? 1) })
      }
      const timer = setTimeout(end, withinMs)
      const question: Question = { answers: [], open: undefined, silent: 0, end }
      this.#questions.set(id, question)
      this.#report({ kind: 'ask', id, name })
    })
  }

  /** A sibling asks. */
  async asked({ asker, id, name }: Extract<Order, { kind: 'asked' }>): Promise<void> {
    let text: string | undefined
    try {
      text = await this.#answers.get(name)?.()
    } catch {
      // The sibling learns that there is no answer.
    }
    this.#report({ kind: 'answer', asker, id, text })
  }

  /** The parent has asked the others. Their answers come later. */
  passed({ id, asked, away }: Extract<Order, { kind: 'passed' }>): void {
    const question = this.#questions.get(id)
    if (!question) return
    question.silent += away
    question.open = asked
    if (question.open === 0) question.end()
  }

  answered({ id, worker, text }: Extract<Order, { kind: 'answered' }>): void {
    const question = this.#questions.get(id)
    if (question?.open === undefined) return
    question.open--
    if (text === undefined) question.silent++
    else question.answers.push({ worker, text })
    if (question.open === 0) question.end()
  }
}

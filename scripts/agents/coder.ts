import { isAskedForSummary, type Answer } from '../clients/vendor/answer.ts'
import type { Question } from '../clients/vendor/question.ts'
import { Hands } from './hands.ts'
import { Progress } from './progress.ts'
import { command, files } from './task.ts'
import { Thoughts } from './thoughts.ts'

/** How often it reads and edits a file again. */
const patience = 2

/** A model that mends the project step by step. All that it knows of the work is in the conversation. */
export class Coder {
  readonly #thoughts = new Thoughts()
  /** Refuses calls that come back without the thought before them, as some vendors do. */
  insists = true

  answer(question: Question): Answer {
    const forgotten = this.insists ? this.#thoughts.forgottenIn(question) : undefined
    if (forgotten !== undefined) return { refusal: `The call ${forgotten} came back without the thought before it.` }
    const answer = this.#thoughts.before(stepOf(question), question)
    const said = answer.text ?? answer.calls!.map(({ arguments: input }) => input).join('')
    return { ...answer, usage: { input: tokensIn(JSON.stringify([question.turns, question.tools])), output: tokensIn(said) } }
  }
}

function stepOf(question: Question): Answer {
  const progress = new Progress(question.turns)
  const { mistakes, mended, trouble, test, mayChange } = progress
  if (isAskedForSummary(question, 'NOTES')) return { text: `A test fails because of three files. ${progress.notes}` }
  const hands = new Hands(question, progress.folder)
  if (hands.areTied) return { text: 'Without a shell, there is nothing to do.' }
  const given = files.find(file => (trouble.get(file)?.length ?? 0) > patience)
  if (given !== undefined) return { text: `${given} cannot be mended: ${trouble.get(given)!.join(' ')}` }
  if (test === 'unknown' && mended.size === 0) return { calls: [hands.run(command)] }
  const unread = files.filter(file => !mistakes.has(file))
  if (unread.length > 0) return { calls: unread.map(file => hands.read(file)) }
  if (!mayChange) return { text: `The test ${test}: ${files.length} files have a mistake.` }
  const [next] = files.filter(file => !mended.has(file))
  if (next !== undefined) return { calls: [hands.edit(next, mistakes.get(next)!)] }
  if (test === 'unknown') return { calls: [hands.run(command)] }
  return { text: `The test ${test} after ${mended.size} changes.` }
}

/** About as many as a tokenizer would count. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

import { isAskedForSummary, type Answer } from '../clients/vendor/answer.ts'
import type { Question } from '../clients/vendor/question.ts'
import { Hands } from './hands.ts'
import { Progress } from './progress.ts'
import { command, files } from './task.ts'

/** How often it reads and edits a file again. */
const patience = 2
/** A model that mends the project step by step. All that it knows is in the conversation. */
export function coder(question: Question): Answer {
  const forgotten = forgottenIn(question)
  if (forgotten !== undefined) return { refusal: `The call ${forgotten} came back without the thought before it.` }
  const answer = thoughtful(question, stepOf(question))
  const said = answer.text ?? answer.calls!.map(({ arguments: input }) => input).join('')
  return { ...answer, usage: { input: tokensIn(JSON.stringify([question.turns, question.tools])), output: tokensIn(said) } }
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

/** The states of the thoughts before calls, by the ids of the calls. */
const thoughts = new Map<string, string>()

/** Vendors refuse a call of the answer in the making whose thought is lost. */
function forgottenIn({ turns }: Question): string | undefined {
  const current = turns.slice(turns.findLastIndex(turn => turn.type === 'said' && turn.by === 'user') + 1)
  const states = new Set(turns.flatMap(turn => (turn.type === 'thought' ? [turn.state] : [])))
  for (const turn of current) {
    const state = turn.type === 'called' ? thoughts.get(turn.id) : undefined
    if (state !== undefined && !states.has(state)) return (turn as { readonly id: string }).id
  }
  return undefined
}

function thoughtful({ thinks }: Question, answer: Answer): Answer {
  const [first] = answer.calls ?? []
  if (!thinks || !first) return answer
  const state = `thought-before-${first.id}`
  for (const { id } of answer.calls!) thoughts.set(id, state)
  return { ...answer, thought: { text: 'One step after the other.', state } }
}

/** About as many as a tokenizer would count. */
function tokensIn(text: string): number {
  return Math.ceil(text.length / 4)
}

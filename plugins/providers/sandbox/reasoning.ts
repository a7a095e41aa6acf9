import { createHash } from 'node:crypto'
import { ProviderFailure, type GenerationEvent, type Item, type ProviderCall } from '../../../core/index.ts'
import type { Effort } from '../../../core/kit.ts'
import { lastText } from './conversation.ts'
import { obey } from './echo.ts'
import { pieces } from './reply.ts'

const stepsOfEffort: Readonly<Record<Effort, number>> = { none: 0, minimal: 1, low: 1, medium: 2, high: 3, xhigh: 4, max: 5 }

/** Thinks first: full reasoning, a summary with one part per step, and a state that identifies the turn. */
export async function* reasoning({ request }: ProviderCall): AsyncGenerator<GenerationEvent> {
  const question = lastText(request)
  const remembered = lastTurn(request.input)
  const memory = remembered === 0 ? '' : `I remember turn ${remembered}. `
  const steps = stepsOfEffort[request.reasoning?.effort ?? 'medium']
  // Prepare the answer first, so that an invalid request fails before any output.
  const rest = await obey(request, memory + question)
  if (steps > 0) yield* think(question, steps, remembered + 1)
  yield* rest
}

function* think(question: string, steps: number, turn: number): Generator<GenerationEvent> {
  const topic = JSON.stringify(Array.from(question).slice(0, 80).join(''))
  for (let step = 1; step <= steps; step++) {
    const words = pieces(`Step ${step} of ${steps}: I look at ${topic} for the ${ordinal(step)} time.`)
    for (const [index, text] of words.entries())
      yield { type: 'reasoning', form: 'full', text, ...(index === 0 && step > 1 && { newPart: true }) }
  }
  for (let step = 1; step <= steps; step++)
    for (const [index, text] of pieces(`Looking at the question, step ${step} of ${steps}.`).entries())
      yield { type: 'reasoning', form: 'summary', text, ...(index === 0 && step > 1 && { newPart: true }) }
  yield { type: 'reasoning-state', opaque: writeState(turn) }
}

function ordinal(step: number): string {
  return ['first', 'second', 'third', 'fourth', 'fifth'][step - 1] ?? `${step}th`
}

const prefix = 'sandbox-turn-'

function writeState(turn: number): string {
  return `${prefix}${turn}-${createHash('sha256').update(`${prefix}${turn}`).digest('base64url')}`
}

/** The last turn in the conversation's states, else 0. Skips states of other models. */
function lastTurn(input: readonly Item[]): number {
  let last = 0
  for (const [index, item] of input.entries()) {
    if (item.type !== 'reasoning' || !item.encrypted_content?.startsWith(prefix)) continue
    const turn = Number(/^\d{1,9}/.exec(item.encrypted_content.slice(prefix.length))?.[0])
    if (item.encrypted_content !== writeState(turn))
      throw new ProviderFailure({
        kind: 'invalid-request',
        status: 400,
        message: `input[${index}].encrypted_content is reasoning state of the sandbox that was changed.`,
      })
    last = Math.max(last, turn)
  }
  return last
}

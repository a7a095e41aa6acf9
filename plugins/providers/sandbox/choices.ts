import type { GenerationEvent, TokenUsage } from '../../../core/index.ts'

/** Gives an answer this many times, in one reply. The input counts once, the output of all of them. */
export async function* several(choices: number, answer: () => AsyncIterable<GenerationEvent>): AsyncGenerator<GenerationEvent> {
  let before: TokenUsage | undefined
  for (let choice = 1; choice <= choices; choice++) {
    let total = before
    for await (const event of answer()) {
      if (event.type === 'usage') yield { type: 'usage', usage: (total = added(event.usage, before)) }
      else if (event.type === 'finish' && choice < choices) yield { type: 'choice', reason: event.reason }
      else if (event.type !== 'model' || choice === 1) yield event
    }
    before = total
  }
}

function added(own: TokenUsage, before: TokenUsage | undefined): TokenUsage {
  return before ? { ...own, output: own.output + before.output, reasoning: own.reasoning + before.reasoning } : own
}

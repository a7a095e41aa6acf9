import type { OutputFilter } from '../../../../core/contracts/guardrail.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { shadow } from '../shadow.ts'
import type { Step } from '../step.ts'

/** More than is shown of a text. */
const maxCharacters = 16_000

/** One step for all pieces of a part. */
export function watchedFilter(filter: OutputFilter, step: Step): OutputFilter {
  let [got, gave] = ['', '']
  const told = (run: () => ReturnType<OutputFilter['push']>): ReturnType<OutputFilter['push']> => {
    const startMs = performance.now()
    try {
      const made: unknown = run()
      step.spent(performance.now() - startMs)
      if (typeof made === 'string') gave = grown(gave, made, step)
      else if (isObject(made) && 'refuse' in made) over(() => step.fail(made['refuse']))
      return made as ReturnType<OutputFilter['push']>
    } catch (error) {
      over(() => step.fail(error))
      throw error
    }
  }
  const over = (end: () => void): void => {
    step.show('got', got)
    step.show('gave', gave)
    end()
  }
  return shadow(filter, {
    push(text) {
      got = grown(got, text, step)
      return told(() => filter.push(text))
    },
    flush() {
      const made = told(() => filter.flush())
      over(() => step.end(got === gave ? 'done' : 'changed'))
      return made
    },
  })
}

/** Where content may not be shown, only enough is kept to see a change. */
function grown(text: string, more: string, step: Step): string {
  if (!step.showsContent) return `${(Number(text || 0) + hashOf(more)) % 1e15}`
  return text.length > maxCharacters ? text : text + more
}

function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) % 1_000_003
  return hash
}

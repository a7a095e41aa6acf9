import { noUsage } from '../../../core/contracts/events.ts'
import type { GenerationEvent, GenerationRequest } from '../../../core/index.ts'
import type { LogProb } from '../../../core/kit.ts'

/** An option in the prompt. */
export interface LabelledOption {
  readonly label: string
  readonly answer?: 'yes' | 'no'
  readonly option?: string
  readonly level?: number
  readonly description?: unknown
}

/** How much an engine inclines to an option, in log-odds; `place` is where it stands among those asked. */
export type Leaning = (option: LabelledOption, place: number, prompt: string) => number

export interface EngineOptions {
  /** The share that goes to tokens which are no labels. */
  readonly elsewhere?: number
  /** How a label is spelt as a token. */
  readonly spell?: (label: string) => readonly string[]
  /** How many tokens are told; default: as many as were asked. */
  readonly most?: number
}

export function promptOf({ input }: Pick<GenerationRequest, 'input'>): string {
  return input.map(item => (item.type === 'message' ? item.content.map(part => ('text' in part ? part.text : '')).join('') : '')).join('\n')
}

/** The options as the prompt has them: everything after the last line that says so. */
export function labelledIn(prompt: string): readonly LabelledOption[] {
  const [, section = ''] = prompt.split(/\nOptions:\n(?![^]*\nOptions:\n)/)
  return section
    .split('\n\n')[0]!
    .split('\n')
    .map(line => {
      const [, label, json] = /^(\w+): (.*)$/.exec(line)!
      return { label: label!, ...(JSON.parse(json!) as object) }
    })
}

/** The most likely tokens of an engine that leans so, the likeliest first. */
export function topTokens(prompt: string, lean: Leaning, top: number, { elsewhere = 0, spell = label => [label] }: EngineOptions): LogProb {
  const options = labelledIn(prompt)
  const weights = options.map((option, place) => Math.exp(lean(option, place, prompt)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const tokens = options.flatMap(({ label }, place) => {
    const spellings = spell(label)
    return spellings.map(token => ({ token, logprob: Math.log(((1 - elsewhere) * weights[place]!) / sum / spellings.length) }))
  })
  const others = Array.from({ length: 40 }, (_, index) => ({ token: `other${index}`, logprob: Math.log(elsewhere / 40) }))
  const ranked = [...tokens, ...(elsewhere > 0 ? others : [])].sort((one, two) => two.logprob - one.logprob).slice(0, top)
  return { ...ranked[0]!, top_logprobs: ranked }
}

/** An engine that answers one label, with log probabilities. */
export function* engine(request: GenerationRequest, lean: Leaning, options: EngineOptions = {}): Generator<GenerationEvent> {
  const told = topTokens(promptOf(request), lean, options.most ?? request.top_logprobs ?? 0, options)
  yield { type: 'text', text: told.token, logprobs: [told] }
  yield { type: 'usage', usage: { ...noUsage, uncachedInput: 100, cacheRead: 20, output: 1 } }
  yield { type: 'finish', reason: 'length' }
}

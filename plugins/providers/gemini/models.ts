import type { ThinkingLevel } from './wire.ts'

/** What requests to a model may contain. */
export interface ModelTraits {
  /** How much it thinks is told as a number of tokens, as a level, or not at all. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** `off`: the model can be told not to think. */
  readonly budget: { readonly least: number; readonly most: number; readonly off: boolean }
  readonly levels: readonly ThinkingLevel[]
  /** Whether an answer in JSON can be enforced, */
  readonly format: boolean
  /** and whether also in a request that offers tools. */
  readonly formatWithTools: boolean
  /** Function calls in the history are refused without the signature of the thought that led to them, and media may stand in their results. */
  readonly signedCalls: boolean
  readonly systemInstruction: boolean
}

const plain: ModelTraits = {
  thinking: 'none',
  budget: { least: 0, most: 0, off: true },
  levels: [],
  format: true,
  formatWithTools: false,
  signedCalls: false,
  systemInstruction: true,
}
const budgeted: ModelTraits = { ...plain, thinking: 'budget', budget: { least: 1, most: 24_576, off: true } }
const unlevelled3: ModelTraits = { ...plain, formatWithTools: true, signedCalls: true }
const pro3: ModelTraits = { ...unlevelled3, thinking: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] }
const flash3: ModelTraits = { ...pro3, levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] }

/** By model name, first match wins. Sources: ai.google.dev, "Gemini thinking", "Gemini 3", "Thought signatures", "Structured outputs", "Gemma". */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/gemma-[23]/, { ...plain, format: false, systemInstruction: false }],
  [/gemma|gemini-(1|2\.0|exp)|gemini-2\.5.*-(image|tts|audio)/, plain],
  [/gemini-2\.5-pro/, { ...budgeted, budget: { least: 128, most: 32_768, off: false } }],
  [/gemini-2\.5-flash-lite/, { ...budgeted, budget: { least: 512, most: 24_576, off: true } }],
  [/gemini-(2\.5|robotics)/, budgeted],
  [/gemini-.*-(image|tts|audio)/, unlevelled3],
  [/gemini-3-pro/, { ...pro3, levels: ['LOW', 'HIGH'] }],
  [/gemini-.*flash/, flash3],
  // Newer than this table, and the names that mean the newest: what the newest models agree on is the safest guess.
  [/gemini/, pro3],
]

/** A tuned model or a deployment may hide the model behind a name of its own: then the canonical name tells. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  const name = [upstreamModel, model].map(each => each.toLowerCase()).find(each => /gemini|gemma/.test(each))
  return (name !== undefined && rows.find(([pattern]) => pattern.test(name))?.[1]) || plain
}

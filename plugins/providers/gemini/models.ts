import type { ThinkingLevel } from './wire.ts'

/** The features that requests to a model may use. */
export interface ModelTraits {
  /** The setting for how much to think: a number of tokens, a level, or none. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** `off`: thinking can be turned off. */
  readonly budget: { readonly least: number; readonly most: number; readonly off: boolean }
  readonly levels: readonly ThinkingLevel[]
  /** True if the vendor can enforce an answer in JSON. */
  readonly format: boolean
  /** True if it can do so in a request with tools. */
  readonly formatWithTools: boolean
  /** Function calls in the history must carry the signature of the thought before them, and their results may hold media. */
  readonly signedCalls: boolean
  readonly systemInstruction: boolean
  /** The tool `googleSearch`. */
  readonly search: boolean
  /** The vendor bills each search. Before, it billed each request that searched ("Gemini Developer API pricing"). */
  readonly countsSearches: boolean
}

const plain: ModelTraits = {
  thinking: 'none',
  budget: { least: 0, most: 0, off: true },
  levels: [],
  format: true,
  formatWithTools: false,
  signedCalls: false,
  systemInstruction: true,
  search: false,
  countsSearches: false,
}
const budgeted: ModelTraits = { ...plain, thinking: 'budget', search: true, budget: { least: 1, most: 24_576, off: true } }
const unlevelled3: ModelTraits = { ...plain, formatWithTools: true, signedCalls: true, countsSearches: true }
const pro3: ModelTraits = { ...unlevelled3, thinking: 'level', search: true, levels: ['LOW', 'MEDIUM', 'HIGH'] }
const flash3: ModelTraits = { ...pro3, levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] }

/** By model name, first match wins. Sources: ai.google.dev, "Gemini thinking", "Gemini 3", "Thought signatures", "Structured outputs", "Grounding with Google Search", "Gemma". */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/gemma-[23]/, { ...plain, format: false, systemInstruction: false }],
  [/gemini-2\.0-flash(?!-(lite|live|.*image))/, { ...plain, search: true }],
  [/gemma|gemini-(1|2\.0|exp)|gemini-2\.5.*-(image|tts|audio)/, plain],
  [/gemini-2\.5-pro/, { ...budgeted, budget: { least: 128, most: 32_768, off: false } }],
  [/gemini-2\.5-flash-lite/, { ...budgeted, budget: { least: 512, most: 24_576, off: true } }],
  [/gemini-(2\.5|robotics)/, budgeted],
  [/gemini-.*-(image|tts|audio)/, unlevelled3],
  [/gemini-3-pro/, { ...pro3, levels: ['LOW', 'HIGH'] }],
  [/gemini-.*flash/, flash3],
  // Newer than this table, or an alias of the newest model: assume what the newest models have in common.
  [/gemini/, pro3],
]

/** If the name of a tuned model or a deployment does not identify the model, the canonical name does. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  const name = [upstreamModel, model].map(each => each.toLowerCase()).find(each => /gemini|gemma/.test(each))
  return (name !== undefined && rows.find(([pattern]) => pattern.test(name))?.[1]) || plain
}

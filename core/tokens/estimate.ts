import type { GenerationRequest } from '../contracts/request.ts'
import { framingOf } from './framing.ts'
import { schemasOf, textsOf } from './input-texts.ts'

const charactersPerToken = 4

/** A guess that costs next to nothing: right for English, too low for most other languages and for what is no language. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

/** The same guess for all that a model reads of a request. */
export function estimateInput(request: GenerationRequest): number {
  let characters = 0
  for (const text of textsOf(request)) characters += text.length
  for (const schema of schemasOf(request)) characters += schema.length
  return estimateTokens(characters) + framingOf(request)
}

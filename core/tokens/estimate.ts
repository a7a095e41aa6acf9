import type { GenerationRequest } from '../contracts/request.ts'
import { framingOf } from './framing.ts'
import { schemasOf, textsOf } from './input-texts.ts'

const charactersPerToken = 4

/** A very cheap estimate: good for English, too low for most other languages and for data. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

/** The same estimate for everything in a request that a model reads. */
export function estimateInput(request: GenerationRequest): number {
  let characters = 0
  for (const text of textsOf(request)) characters += text.length
  for (const schema of schemasOf(request)) characters += schema.length
  return estimateTokens(characters) + framingOf(request)
}

import type { GenerationEvent } from '../contracts/events.ts'

// Conservative estimates for 64-bit V8. Decoder, transcript, and response each keep a copy of a text; non-Latin text takes two bytes per
// character.

const eventBytes = 128
const bytesPerCharacter = 2
const memberBytes = 16

/** One output item in transcript, response, and decoder. */
export const itemBytes = 2_048

/** The memory that an event takes until its answer is over. */
export function sizeOf(event: GenerationEvent): number {
  switch (event.type) {
    case 'text':
      return eventBytes + event.text.length * bytesPerCharacter + (event.logprobs ? memoryOf(event.logprobs) : 0)
    case 'refusal':
    case 'reasoning':
    case 'tool-input':
      return eventBytes + event.text.length * bytesPerCharacter
    case 'usage':
    case 'model':
    case 'item-end':
    case 'choice':
    case 'finish':
      return eventBytes
    default:
      return eventBytes + memoryOf(event)
  }
}

/** The memory that a value of JSON takes, estimated. */
export function memoryOf(value: unknown): number {
  if (typeof value === 'string') return memberBytes + value.length * bytesPerCharacter
  if (typeof value !== 'object' || value === null) return memberBytes
  return Object.values(value).reduce((sum: number, each) => sum + memoryOf(each), 2 * memberBytes)
}

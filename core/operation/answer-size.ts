import type { GenerationEvent } from '../contracts/events.ts'

// Estimates for 64-bit V8, on the safe side. A piece of text is joined to what came before once by the decoder, once by the transcript
// and once by the response; text other than Latin takes two bytes a character.

const eventBytes = 128
const bytesPerCharacter = 2
const memberBytes = 16

/** An item of the output: what transcript, response and decoder note of it. */
export const itemBytes = 2_048

/** What an event takes in memory until its answer is over. */
export function sizeOf(event: GenerationEvent): number {
  switch (event.type) {
    case 'text':
      return eventBytes + event.text.length * bytesPerCharacter + (event.logprobs ? sizeOfValue(event.logprobs) : 0)
    case 'refusal':
    case 'reasoning':
    case 'tool-input':
      return eventBytes + event.text.length * bytesPerCharacter
    case 'usage':
    case 'model':
    case 'item-end':
    case 'finish':
      return eventBytes
    default:
      return eventBytes + sizeOfValue(event)
  }
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return memberBytes + value.length * bytesPerCharacter
  if (typeof value !== 'object' || value === null) return memberBytes
  return Object.values(value).reduce((sum: number, each) => sum + sizeOfValue(each), 2 * memberBytes)
}

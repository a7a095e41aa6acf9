import type { MessageItem } from '../../contracts/items.ts'
import type { Digest } from './digest.ts'
import { charactersPerToken, fingerprintOf, inWords, lengthOf } from './message-text.ts'
import { sealedTail, type Outline } from './outline.ts'

/** The most messages that a compaction remembers by their fingerprints. Older ones would stay in front of it. */
const maxCovered = 10_000

/** `covered`: by compactions that are part of the conversation. */
export function digestOf(summary: string, outline: Outline, covered: readonly string[], maxKeptTokens: number): Digest {
  const most = maxKeptTokens * charactersPerToken
  const { instructions, kept, told, tail } = outline
  const messages = [...told, ...tail].filter((item): item is MessageItem => item.type === 'message' && item.role === 'user')
  return {
    summary,
    instructions: withinLength(instructions, most),
    kept: kept.map(({ sealed }) => sealed),
    tail: sealedTail(tail, most),
    covered: [...new Set([...covered, ...messages.map(fingerprintOf)])].slice(-maxCovered),
  }
}

function withinLength(messages: readonly MessageItem[], most: number): readonly MessageItem[] {
  let left = most
  return messages.flatMap(message => {
    left -= lengthOf(message)
    return left >= 0 ? [inWords(message)] : []
  })
}

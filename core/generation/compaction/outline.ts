import type { Item, MessageItem } from '../../contracts/items.ts'
import { callIdOf } from '../agent-tools/call-id.ts'
import { isCall, isOutput, openCalls, withoutCalls, type CallItem } from './calls.ts'
import type { KeptItem } from './digest.ts'
import { isInstruction } from './expansion.ts'
import { shortOutput } from './item-length.ts'
import { charactersPerToken, fingerprintOf, hasMedia, inWords, lengthOf } from './message-text.ts'
import { lengthOfAll } from './parts.ts'
import { isSummary } from './summary-message.ts'

/** A message that stays as it is. */
interface KeptMessage {
  /** The caller's own, or the cut one. */
  readonly item: MessageItem
  readonly sealed: KeptItem
}

/** The parts of a conversation that is compacted. */
export interface Outline {
  readonly instructions: readonly MessageItem[]
  readonly kept: readonly KeptMessage[]
  /** The items that the model reads to summarize: all but those that are still to be answered. */
  readonly told: readonly Item[]
  /** The items that are still to be answered, after the summary. */
  readonly tail: readonly Item[]
  readonly openCalls: readonly CallItem[]
}

/** A message shorter than this is not worth cutting. */
const leastCharacters = 400

/**
 * `isAll`: nothing is answered now, so all of the conversation is summarized, but for calls that wait for their outputs. `keptTokens`: for
 * the newest messages of the user, and for a round of calls that the model has to answer. Undefined if there is nothing to summarize.
 */
export function outlineOf(items: readonly Item[], keptTokens: number, isAll: boolean): Outline | undefined {
  const most = keptTokens * charactersPerToken
  const at = isAll ? items.length : tailOf(items, most)
  const before = items.slice(0, at)
  const calls = openCalls(before)
  const told = withoutCalls(before, calls)
  const kept = keptMessages(before, most)
  if (!isAll && !hasMore(told, kept)) return undefined
  return {
    instructions: before.filter((item): item is MessageItem => isInstruction(item)),
    kept,
    told,
    tail: [...calls, ...items.slice(at)],
    openCalls: [...calls],
  }
}

/** The items as the compaction has them: without images, files and thoughts, and each no longer than this. */
export function sealedTail(tail: readonly Item[], longest: number): readonly KeptItem[] {
  return tail.flatMap((item): readonly KeptItem[] => {
    if (item.type === 'message') {
      const words = inWords(item, longest)
      const isWhole = !hasMedia(item) && lengthOf(item) <= longest
      return [isWhole || item.role !== 'user' ? { item: words } : { item: words, from: fingerprintOf(item) }]
    }
    if (isOutput(item)) return [{ item: shortOutput(item, longest) }]
    return item.type === 'reasoning' ? [] : [{ item }]
  })
}

/** Where the part begins that the model has to answer: new messages, or the outputs of its last calls if they are short enough. */
function tailOf(items: readonly Item[], most: number): number {
  const asked = items.findLastIndex(item => !(item.type === 'message' && item.role !== 'assistant')) + 1
  if (asked < items.length) return asked
  const outputs = items.findLastIndex(item => !isOutput(item)) + 1
  const round = items.findLastIndex((item, index) => index < outputs && (isOutput(item) || !isMade(item))) + 1
  const last = items.slice(round)
  const called = new Set(last.flatMap(item => (isCall(item) ? (callIdOf(item) ?? []) : [])))
  const isWhole = outputs < items.length && last.every(item => !isOutput(item) || called.has(callIdOf(item) ?? ''))
  return isWhole && lengthOfAll(last) <= most ? round : items.length
}

function isMade(item: Item): boolean {
  return isCall(item) || item.type === 'reasoning' || (item.type === 'message' && item.role === 'assistant')
}

/** True if a summary would say more than what stays anyway. */
function hasMore(told: readonly Item[], kept: readonly KeptMessage[]): boolean {
  const whole = new Set<Item>(kept.map(({ item }) => item))
  return told.some(item => !isInstruction(item) && !isSummary(item) && !whole.has(item))
}

/** The newest messages of the user, oldest first. One that would take more than half of the room loses its middle. */
export function keptMessages(items: readonly Item[], most: number): readonly KeptMessage[] {
  const kept: KeptMessage[] = []
  let left = most
  for (const item of items.toReversed()) {
    if (item.type !== 'message' || item.role !== 'user' || isSummary(item)) continue
    const room = Math.min(left, Math.ceil(most / 2))
    const length = lengthOf(item)
    if (length <= room) {
      left -= length
      kept.push({ item, sealed: hasMedia(item) ? { item: inWords(item), from: fingerprintOf(item) } : { item: inWords(item) } })
    } else if (room < leastCharacters) break
    else {
      left -= room
      const cut = inWords(item, room)
      kept.push({ item: cut, sealed: { item: cut } })
    }
  }
  return kept.reverse()
}

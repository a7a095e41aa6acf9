import type { CompactionItem, Item, MessageItem } from '../../contracts/items.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import { isDigest, type Digest, type KeptItem } from './digest.ts'
import { fingerprintOf } from './message-text.ts'
import { summaryMessage } from './summary-message.ts'

/** A conversation whose compactions by the gateway can be read by any model. */
export interface Expansion {
  readonly items: readonly Item[]
  /** Where the items after the last compaction began, and where they begin now. */
  readonly from: number
  readonly to: number
  /** The fingerprints of the user's messages that compactions stand for. */
  readonly covered: readonly string[]
}

/** Undefined if the conversation has no compaction of the gateway. Throws a 400 for one that cannot be opened. */
export function expanded(items: readonly Item[], open: (sealed: string) => Digest | undefined): Expansion | undefined {
  const from = items.findLastIndex(isOwn) + 1
  if (from === 0) return undefined
  const digest = open((items[from - 1] as CompactionItem).encrypted_content)
  if (!digest) throw unreadable()
  const covered = new Set(digest.covered)
  const before = items.slice(0, from - 1)
  const stays = before.filter((item): item is MessageItem => item.type === 'message' && staysBefore(item, covered))
  const isInstructed = items.some(item => isInstruction(item))
  const own = ownMessages(before, [...digest.kept, ...digest.tail])
  const told = [
    ...(isInstructed ? [] : digest.instructions),
    ...stays,
    ...digest.kept.map(kept => itemOf(kept, own)),
    summaryMessage(digest.summary),
    ...digest.tail.map(kept => itemOf(kept, own)),
  ]
  return { items: [...told, ...items.slice(from)], from, to: told.length, covered: digest.covered }
}

/** True for an item that the gateway made: it opens for every model. */
export function isOwn(item: Item): item is CompactionItem {
  return item.type === 'compaction' && isDigest(item.encrypted_content)
}

export function isInstruction(item: Item): boolean {
  return item.type === 'message' && (item.role === 'system' || item.role === 'developer')
}

/** Instructions are the caller's, and so is what it says for the first time. */
function staysBefore(item: MessageItem, covered: ReadonlySet<string>): boolean {
  return isInstruction(item) || (item.role === 'user' && !covered.has(fingerprintOf(item)))
}

function ownMessages(before: readonly Item[], kept: readonly KeptItem[]): ReadonlyMap<string, MessageItem> {
  const own = new Map<string, MessageItem>()
  if (!kept.some(({ from }) => from !== undefined)) return own
  for (const item of before) if (item.type === 'message' && item.role === 'user') own.set(fingerprintOf(item), item)
  return own
}

function itemOf({ item, from }: KeptItem, own: ReadonlyMap<string, MessageItem>): Item {
  return (from !== undefined && own.get(from)) || item
}

function unreadable(): Error {
  return invalidRequest(
    wording`The input has a compaction that cannot be opened: it was changed, or it belongs to another user, team or organization. Send the conversation itself.`,
    'input',
  )
}

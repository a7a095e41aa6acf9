import type { Item } from '../contracts/items.ts'
import type { SealContext, Sealer } from '../contracts/sealer.ts'

const prefix = 'tps1.'

/** A provider's state is bound to these. It is sent back only to the same provider, account and model. */
export interface StateBinding {
  readonly org: string
  readonly provider: string
  readonly account: string | undefined
  readonly model: string
}

/** The text that clients hold and replay as `encrypted_content`. */
export function sealState(sealer: Sealer, binding: StateBinding, kind: StateKind, opaque: string): string {
  return prefix + Buffer.from(sealer.seal(contextOf(binding, kind), Buffer.from(opaque, 'utf8'))).toString('base64url')
}

/** Restores the provider's original state in items. State that belongs elsewhere is dropped; the visible history stays. */
export function openState(
  sealer: Sealer,
  binding: StateBinding,
  items: readonly Item[],
): { readonly items: readonly Item[]; readonly dropped: number } {
  if (!items.some(carriesState)) return { items, dropped: 0 }
  let dropped = 0
  const opened = items.flatMap((item): readonly Item[] => {
    if (!carriesState(item)) return [item]
    const opaque = open(sealer, contextOf(binding, item.type), item.encrypted_content!)
    if (opaque !== undefined) return [{ ...item, encrypted_content: opaque }]
    dropped += 1
    if (item.type === 'compaction') return []
    const { encrypted_content: _, ...visible } = item
    return [visible]
  })
  return { items: opened, dropped }
}

/** Which of `accounts` the newest state in a conversation belongs to. */
export function accountOfState(
  sealer: Sealer,
  binding: Omit<StateBinding, 'account'>,
  accounts: readonly string[],
  items: readonly Item[],
): string | undefined {
  const newest = items.findLast(carriesState)
  return (
    newest &&
    accounts.find(account => open(sealer, contextOf({ ...binding, account }, newest.type), newest.encrypted_content!) !== undefined)
  )
}

/** The index of the first of `bindings` that this state belongs to, or -1. */
export function holderOfState(
  sealer: Sealer,
  { type, encrypted_content: sealed = '' }: StatefulItem,
  bindings: readonly StateBinding[],
): number {
  if (!sealed?.startsWith(prefix)) return -1
  const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
  return bindings.findIndex(binding => sealer.open(contextOf(binding, type), bytes) !== undefined)
}

export type StateKind = 'reasoning' | 'compaction'

/** Encrypts a provider's state for clients. */
export type Seal = (kind: StateKind, opaque: string) => string

export type StatefulItem = Extract<Item, { readonly type: StateKind }>

export function carriesState(item: Item): item is StatefulItem {
  return (item.type === 'reasoning' || item.type === 'compaction') && typeof item.encrypted_content === 'string'
}

function contextOf({ org, provider, account, model }: StateBinding, kind: StateKind): SealContext {
  return { org, purpose: kind, provider, account, model }
}

function open(sealer: Sealer, context: SealContext, sealed: string): string | undefined {
  if (!sealed.startsWith(prefix)) return undefined
  const bytes = sealer.open(context, Buffer.from(sealed.slice(prefix.length), 'base64url'))
  return bytes && Buffer.from(bytes).toString('utf8')
}

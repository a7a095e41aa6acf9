import type { Item, MessageItem } from '../../contracts/items.ts'
import type { Caller } from '../../contracts/run-context.ts'
import type { SealContext, Sealer } from '../../contracts/sealer.ts'

const prefix = 'tpk1.'
const version = 1

/** A message or a call that stays as it is. */
export interface KeptItem {
  readonly item: Item
  /** The fingerprint of the caller's own message, which has images or more text, and takes its place while the caller still sends it. */
  readonly from?: string
}

/** Stands for an earlier conversation: the content of the gateway's own `compaction` items. */
export interface Digest {
  readonly summary: string
  /** System and developer messages, for callers that send none any more. */
  readonly instructions: readonly MessageItem[]
  /** The newest messages of the user, before the summary. */
  readonly kept: readonly KeptItem[]
  /** The items that the model still has to answer, after the summary. */
  readonly tail: readonly KeptItem[]
  /** The fingerprints of the user's messages that it stands for. */
  readonly covered: readonly string[]
}

/** True for a text that only the gateway can open, whoever owns it. */
export function isDigest(sealed: string): boolean {
  return sealed.startsWith(prefix)
}

/** The `encrypted_content` of a compaction. It belongs to the caller's owner, whatever model it asks. */
export function sealDigest(sealer: Sealer, caller: Pick<Caller, 'key' | 'owner'>, digest: Digest): string {
  const bytes = Buffer.from(JSON.stringify({ version, ...digest }), 'utf8')
  return prefix + Buffer.from(sealer.seal(contextOf(caller), bytes)).toString('base64url')
}

/** Undefined if it was changed, or belongs to another owner. */
export function openDigest(sealer: Sealer, caller: Pick<Caller, 'key' | 'owner'>, sealed: string): Digest | undefined {
  const bytes = sealer.open(contextOf(caller), Buffer.from(sealed.slice(prefix.length), 'base64url'))
  if (!bytes) return undefined
  const opened = JSON.parse(Buffer.from(bytes).toString('utf8')) as Digest & { readonly version: number }
  return opened.version === version ? opened : undefined
}

function contextOf({ key, owner }: Pick<Caller, 'key' | 'owner'>): SealContext {
  return { org: key.org, purpose: 'conversation', account: owner }
}

import type { JsonObject } from '../../../core/index.ts'
import type { ReasoningItem } from '../../../core/kit.ts'

// A thinking block always has a signature, because clients drop or refuse one without. It holds the sealed state of the provider, if there
// is any. The prefix tells how the visible text came, where it is not a summary with state.

const unsignedSummary = 'tpu1.summary'
const unsignedFull = 'tpu1.full'
const signedFull = 'tpf1.'

export type Form = 'summary' | 'full'

/** `state`: as core seals it. */
export function signatureOf(form: Form, state: string | undefined): string {
  if (state === undefined) return form === 'full' ? unsignedFull : unsignedSummary
  return form === 'full' ? signedFull + state : state
}

/** The item of a block. Core opens its state, or drops what does not open. */
export function reasoningOf(text: string, signature: string | undefined): ReasoningItem {
  const isFull = signature === unsignedFull || signature?.startsWith(signedFull) === true
  const isSigned = signature !== undefined && signature !== '' && signature !== unsignedFull && signature !== unsignedSummary
  return {
    type: 'reasoning',
    ...(isFull ? { content: [{ type: 'reasoning_text', text }] } : { summary: text === '' ? [] : [{ type: 'summary_text', text }] }),
    ...(isSigned && { encrypted_content: isFull ? signature.slice(signedFull.length) : signature }),
  }
}

const sealedCompaction = 'tpc1.'

/** A compaction of another dialect, which only the gateway can open. */
export function compactionBlock(sealed: string): JsonObject {
  return { type: 'compaction', content: null, encrypted_content: sealedCompaction + sealed }
}

/** The sealed state of such a block. */
export function compactionState({ encrypted_content: text }: JsonObject): string | undefined {
  return typeof text === 'string' && text.startsWith(sealedCompaction) ? text.slice(sealedCompaction.length) : undefined
}

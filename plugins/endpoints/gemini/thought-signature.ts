// A `thoughtSignature` is base64, which SDKs decode and encode again, in either alphabet. The texts here are base64 themselves: four letters
// that tell how the visible thought came, and the sealed state of the provider.

const sealedPrefix = 'tps1.'
const marks = { summary: 'tps1', full: 'tpf1' } as const
const fullWithoutState = 'tpu1full'

export type Form = keyof typeof marks

/** Signatures that callers of the vendor put on calls that no model has made. The provider adds its own where one is needed. */
const placeholders = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'])

/** `state`: as core seals it. Undefined if there is nothing to say. */
export function signatureOf(form: Form, state: string | undefined): string | undefined {
  if (state === undefined) return form === 'full' ? fullWithoutState : undefined
  if (!state.startsWith(sealedPrefix)) return Buffer.from(state, 'utf8').toString('base64')
  return marks[form] + Buffer.from(state.slice(sealedPrefix.length), 'base64url').toString('base64')
}

export interface Signed {
  readonly form: Form
  /** As core seals it. Core leaves out what does not open. */
  readonly state: string | undefined
}

/** What a signature of a caller holds. Undefined for none, and for a placeholder. */
export function signedBy(signature: string | undefined): Signed | undefined {
  if (signature === undefined || signature === '' || placeholders.has(signature)) return undefined
  if (placeholders.has(Buffer.from(signature, 'base64').toString('utf8'))) return undefined
  if (signature === fullWithoutState) return { form: 'full', state: undefined }
  const form = signature.startsWith(marks.full) ? 'full' : 'summary'
  const isOurs = signature.startsWith(marks[form])
  if (!isOurs) return { form: 'summary', state: signature }
  return { form, state: sealedPrefix + Buffer.from(signature.slice(marks[form].length), 'base64').toString('base64url') }
}

import { token } from '../foundation/token.ts'

/** What a sealed thing is bound to: it opens only under the same values. */
export interface SealContext {
  /** Each organization has data keys of its own. */
  readonly org: string
  /** Such as `reasoning` or `response`. */
  readonly purpose: string
  readonly provider?: string | undefined
  readonly account?: string | undefined
  readonly model?: string | undefined
}

/** Authenticated encryption and message authentication under the server's master key. */
export interface Sealer {
  /** Where the master key comes from, for messages: `key file /srv/data/master.key`. Never the key. */
  readonly keySource: string
  /** False while there is no master key. The first `seal` or `mac` then makes one, and so does the start of the gateway. */
  readonly hasKey: boolean
  seal(context: SealContext, bytes: Uint8Array): Uint8Array
  /** Undefined when the bytes were changed, sealed under another context, or never sealed here. */
  open(context: SealContext, bytes: Uint8Array): Uint8Array | undefined
  /** Whether they were sealed under the key that seals today: what is kept for long is sealed anew when it was not. */
  isCurrent(bytes: Uint8Array): boolean
  /** HMAC-SHA-256 under a key that is used for `purpose` only. */
  mac(purpose: string, text: string): Buffer
}
export const Sealer = token<Sealer>('sealer')

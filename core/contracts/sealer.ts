import { contract } from '../foundation/token.ts'

/** Sealed bytes are bound to these values: they open only with the same ones. */
export interface SealContext {
  /** Each organization has its own data keys. */
  readonly org: string
  /** Such as `reasoning` or `response`. */
  readonly purpose: string
  /** The id of the provider whose state is sealed. */
  readonly provider?: string | undefined
  /** The account at the provider, or the owner of a conversation. */
  readonly account?: string | undefined
  /** The model whose state is sealed. */
  readonly model?: string | undefined
}

/**
 * Authenticated encryption and message authentication with the server's master key. Every function answers at once: a promise, or anything
 * else that the contract does not name, is an error of the plugin. `sealerSuite` of `turnpike/testing` checks an implementation.
 */
export interface Sealer {
  /** The source of the master key, for messages: `key file /srv/data/master.key`. Never the key. */
  readonly keySource: string
  /** True if other gateways can have the same master key. False for a key in a file that this gateway creates. */
  readonly isShared: boolean
  /** False if there is no master key yet. The first `seal` or `mac`, or the start of the gateway, creates one. */
  readonly hasKey: boolean
  /** The encrypted bytes, which only `open` with an equal context reads. */
  seal(context: SealContext, bytes: Uint8Array): Uint8Array
  /** The opened bytes. Undefined if they were changed, sealed with another context, or not sealed here. */
  open(context: SealContext, bytes: Uint8Array): Uint8Array | undefined
  /** True if the bytes were sealed with the current key. If not, stores reseal them. */
  isCurrent(bytes: Uint8Array): boolean
  /** HMAC-SHA-256 with a key used only for `purpose`. */
  mac(purpose: string, text: string): Buffer
}
export const Sealer = contract<Sealer>('sealer', { version: 1, stability: 'stable' })

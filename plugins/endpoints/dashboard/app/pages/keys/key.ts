import type { ShownKey as KeyObject, ShownLimit } from '../../fields.ts'

/** A key as the admin API shows it. */
export interface Key extends KeyObject {
  /** Only after a change. */
  readonly warnings?: readonly string[]
}

export type Limit = ShownLimit

/** A key that was just created or rotated: the only time that its text is shown. */
export type ShownKey = Key & { readonly key: string }

export type KeyStatus = 'active' | 'disabled' | 'expired'

export function statusOf({ disabled, expires_at: expires }: Key): KeyStatus {
  if (disabled) return 'disabled'
  return expires !== null && Date.parse(expires) <= Date.now() ? 'expired' : 'active'
}

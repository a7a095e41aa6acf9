import { definePlugin } from '../../core/index.ts'
import { AccountStore, KeyStore, Ledger, type Account, type AccountRef } from '../../core/stores.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'

/** The stores of a gateway under test. */
export interface Stores {
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly ledger: Ledger
}

/** A plugin that hands its gateway's stores to the test. */
export function stores(): { readonly plugin: PluginUse; readonly of: () => Stores } {
  let found: Stores | undefined
  const plugin = definePlugin({
    name: 'hands-out-stores',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { accounts: AccountStore, keys: KeyStore, ledger: Ledger },
    setup(_, __, needs) {
      found = needs
    },
  })({})
  return { plugin, of: () => found! }
}

export const org: AccountRef = { level: 'org', org: 'example', id: 'example' }
export const team: AccountRef = { level: 'team', org: 'example', id: 'research' }
export const user: AccountRef = { level: 'user', org: 'example', id: 'ada' }

export function account(ref: AccountRef, more: Partial<Account> = {}): Account {
  return { ...ref, name: ref.id, policy: {}, createdAt: 0, ...more }
}

import { definePlugin, PolicySources } from '../../../core/index.ts'
import { isPending } from '../../../core/kit.ts'
import { accountLevels, AccountStore, type AccountLevel, type AccountRef, type ApiKey } from '../../../core/stores.ts'

/** Supplies the policies of organizations, teams and users from the account store. */
export default definePlugin({
  name: 'account-policies',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { accounts: AccountStore },
  setup(gateway, _, { accounts }) {
    for (const level of accountLevels) {
      gateway.add(PolicySources, {
        level,
        readsAccounts: true,
        policy(key) {
          const ref = accountOf(key, level)
          const account = ref && accounts.find(ref)
          return isPending(account) ? Promise.resolve(account).then(found => found?.policy) : account?.policy
        },
      })
    }
  },
})

/** The account of a key at one level, if the key names one. */
function accountOf(key: ApiKey, level: AccountLevel): AccountRef | undefined {
  const id = key[level]
  return id === undefined ? undefined : { level, org: key.org, id }
}

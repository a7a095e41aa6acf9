import {
  accountLevels,
  AccountStore,
  definePlugin,
  PolicySources,
  type AccountLevel,
  type AccountRef,
  type ApiKey,
} from '../../../core/index.ts'

/** Supplies the policies of organizations, teams and users from the account store. */
export default definePlugin({
  name: 'account-policies',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { accounts: AccountStore },
  setup(gateway, _, { accounts }) {
    for (const level of accountLevels) {
      gateway.add(PolicySources, {
        level,
        policy(key) {
          const ref = accountOf(key, level)
          const account = ref && accounts.find(ref)
          return account instanceof Promise ? account.then(found => found?.policy) : account?.policy
        },
      })
    }
  },
})

/** The account of a key at one level. Undefined if the key names none. */
function accountOf(key: ApiKey, level: AccountLevel): AccountRef | undefined {
  const id = key[level]
  return id === undefined ? undefined : { level, org: key.org, id }
}

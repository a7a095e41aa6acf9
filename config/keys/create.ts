import { adminCommand } from '../admin/admin-command.ts'
import { keyName } from '../admin/arguments.ts'
import { withAdmin, type AdminClient, type AdminOptions } from '../admin/client.ts'
import { ConfigError } from '../errors.ts'
import { addSettings, bodyOf, type SettingsOptions } from './settings.ts'
import { warn } from './warn.ts'

interface CreateOptions extends AdminOptions, SettingsOptions {
  readonly name: string
  readonly org?: string
  readonly team?: string
  readonly user?: string
}

export default addSettings(
  adminCommand('create', 'Create an API key, and print it only once.')
    .option('--name <text>', 'The purpose or user of the key.', keyName, 'unnamed')
    .option('--org <id>', 'The organization it belongs to. Default: default.', keyName)
    .option('--team <id>', 'The team it belongs to.', keyName)
    .option('--user <id>', 'The user it belongs to.', keyName),
).action(createKey)

async function createKey(options: CreateOptions): Promise<void> {
  const { name, org, team, user, spendCap, spendPeriod } = options
  if (spendPeriod !== undefined && spendCap === undefined)
    throw new ConfigError(undefined, ['--spend-period needs --spend-cap: without a cap, the key may spend any amount.'])
  const owner = { ...(org !== undefined && { org }), ...(team !== undefined && { team }), ...(user !== undefined && { user }) }
  await withAdmin(
    options,
    async client => {
      if (client.local?.persistent === false) {
        throw new ConfigError(client.local.file, [
          'It keeps keys in memory, so a key created here would be lost at once. Add a plugin that stores keys, such as sql({}).',
        ])
      }
      await createAccounts(client, options)
      const { warnings, ...created } = await client.call('POST', '/keys', { ...bodyOf(options), name, ...owner })
      warn(warnings)
      console.log(options.json ? JSON.stringify(created, null, 2) : created['key'])
    },
    { createFiles: true },
  )
}

/** Accounts that a key names are created if they do not exist. */
async function createAccounts(client: AdminClient, { org = 'default', team, user }: CreateOptions): Promise<void> {
  const inOrg = `?org=${encodeURIComponent(org)}`
  const create = async (list: string, id: string | undefined, query: string, more: object): Promise<void> => {
    if (id === undefined || (await client.find(`/${list}/${encodeURIComponent(id)}${query}`))) return
    await client.call('POST', `/${list}`, { id, name: id, ...more })
  }
  if (org !== 'default' || team !== undefined || user !== undefined) await create('orgs', org, '', {})
  await create('teams', team, inOrg, { org })
  await create('users', user, inOrg, { org, ...(team !== undefined && { team }) })
}

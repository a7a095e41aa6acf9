import { adminCommand } from '../admin/admin-command.ts'
import { keyName } from '../admin/arguments.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { ConfigError } from '../errors.ts'
import { findKey } from './find-key.ts'
import { addSettingRemovals, addSettings, bodyOf, type SettingsOptions } from './settings.ts'
import { warn } from './warn.ts'

interface UpdateOptions extends AdminOptions, SettingsOptions {
  readonly name?: string
}

const update = addSettings(
  adminCommand('update', 'Change what a key may do. Options that you leave out stay as they are.')
    .argument('<key>', 'The id of the key, or its name.')
    .option('--name <text>', 'A new name.', keyName),
)
addSettingRemovals(update)

export default update.action(updateKey)

async function updateKey(wanted: string, options: UpdateOptions): Promise<void> {
  const body = { ...bodyOf(options), ...(options.name !== undefined && { name: options.name }) }
  if (Object.keys(body).length === 0)
    throw new ConfigError(undefined, ['Nothing to change: name at least one option. See: npx turnpike keys update --help'])
  await withAdmin(options, async client => {
    const { id } = await findKey(client, wanted)
    const { warnings, ...changed } = await client.call('PATCH', `/keys/${id}`, body)
    warn(warnings)
    if (options.json) printJson(changed)
    else console.log(`${id} (${String(changed['name'])}) is updated.`)
  })
}

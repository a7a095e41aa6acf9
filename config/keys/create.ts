import type { KeySettings } from '../../core/admission/api-key.ts'
import { ConfigError } from '../errors.ts'
import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'
import { addSettings, keyName, limitsOf, policyOf, type SettingsOptions } from './settings.ts'

interface CreateOptions extends KeysOptions, SettingsOptions {
  readonly name: string
  readonly org: string
  readonly team?: string
  readonly user?: string
}

export default addSettings(
  keysCommand('create', 'Create an API key and print it, only once.')
    .option('--name <text>', 'What the key is for.', keyName, 'unnamed')
    .option('--org <name>', 'The organization it belongs to.', keyName, 'default')
    .option('--team <name>', 'The team it belongs to.', keyName)
    .option('--user <name>', 'The user it belongs to.', keyName),
).action(createKey)

async function createKey(options: CreateOptions): Promise<void> {
  const { name, org, team, user } = options
  const settings: KeySettings = { name, org, team, user, policy: policyOf(options), ...limitsOf(options) }
  await withKeys(
    options,
    async (gateway, file) => {
      if (!gateway.keys.persistent) {
        throw new ConfigError(file, [
          'It keeps keys in memory, so a key created here would be lost at once. Add a plugin that stores keys, such as sql({}).',
        ])
      }
      for (const warning of gateway.keyWarnings(settings)) console.error(`Warning: ${warning}`)
      const key = await gateway.issueKey(settings)
      console.log(options.json ? JSON.stringify({ key, ...factsOf(await findKey(gateway, key)) }, null, 2) : key)
    },
    { createFiles: true },
  )
}

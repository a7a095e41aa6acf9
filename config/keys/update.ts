import { Option } from 'commander'
import type { KeyChange } from '../../core/index.ts'
import { ConfigError } from '../errors.ts'
import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'
import { addSettings, keyName, limitsOf, policyOf, type SettingsOptions } from './settings.ts'

interface UpdateOptions extends KeysOptions, SettingsOptions {
  readonly name?: string
}

const update = addSettings(
  keysCommand('update', 'Change what a key may do. Options that you leave out stay as they are.')
    .argument('<key>', 'The id of the key, or its name.')
    .option('--name <text>', 'A new name.', keyName),
)
for (const limit of ['models', 'providers', 'spend-cap', 'tokens-per-minute'])
  update.addOption(new Option(`--no-${limit}`, `Lift the limit set with --${limit}.`))

export default update.action(updateKey)

async function updateKey(wanted: string, options: UpdateOptions): Promise<void> {
  const policy = policyOf(options)
  const named: KeyChange = { ...(options.name !== undefined && { name: options.name }), ...limitsOf(options) }
  const changesPolicy = Object.keys(policy).length > 0
  if (!changesPolicy && Object.keys(named).length === 0)
    throw new ConfigError(undefined, ['Nothing to change: name at least one option. See: turnpike keys update --help'])
  await withKeys(options, async gateway => {
    const key = await findKey(gateway, wanted)
    const change: KeyChange = changesPolicy ? { ...named, policy: { ...key.policy, ...policy } } : named
    const changed = { ...key, ...change }
    for (const warning of gateway.keyWarnings(changed)) console.error(`Warning: ${warning}`)
    if (!(await gateway.keys.update(key.id, change))) throw new ConfigError(undefined, [`The key ${key.id} was removed in the meantime.`])
    console.log(options.json ? JSON.stringify(factsOf(changed), null, 2) : `${key.id} (${changed.name}) is updated.`)
  })
}

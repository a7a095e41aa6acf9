import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { check } from '../../core/framework/checked-plugins.ts'
import { rotateKeyFile } from '../../plugins/sealers/local/master-key.ts'
import { withAdminApi } from '../admin/client.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'

export default command('rotate-key', 'Replace the master key. Stored data stays readable, and API keys stay valid.')
  .addOption(configOption())
  .action(rotateKey)

async function rotateKey({ config: path }: ConfigOption): Promise<void> {
  const config = await loadConfig(path)
  // A rotation on top of a problem, such as a wrong master key, would make it worse.
  await (await openGateway(config, { logLevel: 'warn', createFiles: false, serves: false })).stop()
  const sealer = check(config.plugins).find(({ plugin }) => plugin.name === 'local-sealer')
  if (!sealer) throw new ConfigError(config.file, ['It has no plugin local-sealer, so rotate the key as the sealer in use requires.'])
  const { masterKey, keyFile } = sealer.options as { readonly masterKey?: string; readonly keyFile: string }
  if (masterKey !== undefined) return console.log(adviceForOption())
  const file = resolve(config.folder, keyFile)
  try {
    rotateKeyFile(file)
  } catch (error) {
    throw new ConfigError(config.file, [(error as Error).message])
  }
  // The start reseals the data keys, and the stop waits for that.
  const gateway = await openGateway(withAdminApi(config), { logLevel: 'warn', serves: false })
  try {
    await gateway.admin?.note({ action: 'master-key.rotate', target: 'master-key', org: null, changes: {} })
  } finally {
    await gateway.stop()
  }
  console.log(
    `The key file ${file} has a new master key. Gateways on this machine use it from now on.\n` +
      'Back up the file: it also holds the earlier keys, which decrypt the reasoning that clients still have.',
  )
}

/** A new key cannot be put into the environment from here. */
function adviceForOption(): string {
  const key = randomBytes(32).toString('base64')
  return `The master key comes from the option masterKey (GATEWAY_MASTER_KEY with defaults()), so change it there. A new key:

  ${key}

1. On every gateway, add the new key to previousKeys (GATEWAY_PREVIOUS_MASTER_KEYS), and restart. All of them can then open what it seals.
2. On every gateway, make the new key masterKey (GATEWAY_MASTER_KEY), list the old one in previousKeys, and restart. If macKey
   (GATEWAY_MAC_KEY) is not set yet, set it to the old key: the hashes of API keys depend on it.

Each start seals the data keys anew. Keep the old key in previousKeys while clients may send encrypted reasoning back that it sealed.`
}

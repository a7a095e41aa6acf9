import { numberFrom } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { factsOf, findKey } from './facts.ts'
import { keysCommand, withKeys, type KeysOptions } from './keys-command.ts'

interface RotateOptions extends KeysOptions {
  readonly graceSeconds: number
}

export default keysCommand('rotate', 'Give a key a new secret, and print the new key, only once.')
  .argument('<key>', 'The id of the key, or its name.')
  .option(
    '--grace-seconds <number>',
    'How long the old key stays valid.',
    numberFrom('a number of seconds from 0 to 31536000', seconds => seconds <= yearSeconds),
    0,
  )
  .action(rotateKey)

const yearSeconds = 365 * 24 * 60 * 60

async function rotateKey(wanted: string, options: RotateOptions): Promise<void> {
  await withKeys(options, async gateway => {
    const { id } = await findKey(gateway, wanted)
    const key = await gateway.rotateKey(id, options.graceSeconds * 1000)
    if (key === undefined) throw new ConfigError(undefined, [`The key ${id} was removed in the meantime.`])
    console.log(options.json ? JSON.stringify({ key, ...factsOf(await findKey(gateway, id)) }, null, 2) : key)
  })
}

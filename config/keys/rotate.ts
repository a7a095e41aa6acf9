import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { numberFrom } from '../command.ts'
import { findKey } from './find-key.ts'

interface RotateOptions extends AdminOptions {
  readonly graceSeconds: number
}

const yearSeconds = 365 * 24 * 60 * 60

export default adminCommand('rotate', 'Give a key a new secret, and print the new key only once.')
  .argument('<key>', 'The id of the key, or its name.')
  .option(
    '--grace-seconds <number>',
    'How long the old key stays valid. 0 ends all earlier keys at once.',
    numberFrom('a whole number of seconds from 0 to 31536000', seconds => Number.isInteger(seconds) && seconds <= yearSeconds),
    0,
  )
  .action(async (wanted: string, options: RotateOptions) =>
    withAdmin(options, async client => {
      const { id } = await findKey(client, wanted)
      const rotated = await client.call('POST', `/keys/${id}/rotate`, { grace_seconds: options.graceSeconds })
      if (options.json) printJson(rotated)
      else console.log(rotated['key'])
    }),
  )

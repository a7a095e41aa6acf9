import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson, printObject } from '../admin/print.ts'
import { findKey } from './find-key.ts'

export default adminCommand('show', 'Show what a key may do. The key itself is not stored and cannot be shown.')
  .argument('<key>', 'The id of the key, or its name.')
  .action(async (wanted: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const key = await findKey(client, wanted)
      if (options.json) printJson(key)
      else printObject(key)
    }),
  )

import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { findKey } from './find-key.ts'

export default adminCommand('delete', 'Delete a key. Its records and stored responses stay.')
  .argument('<key>', 'The id of the key, or its name.')
  .action(async (wanted: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const key = await findKey(client, wanted)
      const deleted = await client.call('DELETE', `/keys/${key.id}`)
      if (options.json) printJson(deleted)
      else console.log(`${key.id} (${key.name}) is deleted.`)
    }),
  )

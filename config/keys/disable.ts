import type { Command } from 'commander'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { findKey } from './find-key.ts'

export const disable = change('disable', 'Stop accepting a key. Its stored responses stay.', true)
export const enable = change('enable', 'Accept a disabled key again.', false)

function change(name: string, description: string, disabled: boolean): Command {
  return adminCommand(name, description)
    .argument('<key>', 'The id of the key, or its name.')
    .action(async (wanted: string, options: AdminOptions) =>
      withAdmin(options, async client => {
        const key = await findKey(client, wanted)
        const { warnings: _, ...changed } = await client.call('PATCH', `/keys/${key.id}`, { disabled })
        if (options.json) printJson(changed)
        else console.log(`${key.id} (${key.name}) is ${name}d.`)
      }),
    )
}

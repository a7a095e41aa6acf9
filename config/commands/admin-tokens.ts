import { InvalidArgumentError } from 'commander'
import { adminRoles } from '../../core/admin.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { keyName } from '../admin/arguments.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson, printList } from '../admin/print.ts'
import { listingGroup } from '../command.ts'

interface CreateOptions extends AdminOptions {
  readonly name: string
  readonly role: string
  readonly org?: string
}

const create = adminCommand('create', 'Create an admin token, and print it only once.')
  .requiredOption('--name <text>', 'The person or program that will use it.', keyName)
  .option('--role <role>', 'owner, editor or viewer.', role, 'viewer')
  .option('--org <id>', 'The only organization that it may see and change. Default: all.', keyName)
  .action(async (options: CreateOptions) =>
    withAdmin(
      options,
      async client => {
        const { name, role, org } = options
        const created = await client.call('POST', '/admin-tokens', { name, role, ...(org !== undefined && { org }) })
        if (options.json) printJson(created)
        else console.log(created['token'])
      },
      { createFiles: true },
    ),
  )

const list = adminCommand('list', 'List admin tokens, the oldest first.').action(async (options: AdminOptions) =>
  withAdmin(options, async client => {
    const tokens = await client.all('/admin-tokens')
    if (options.json) printJson(tokens)
    else printList(tokens, ['id', 'name', 'role', 'org', 'created_at'], 'No admin tokens yet.')
  }),
)

const remove = adminCommand('delete', 'Delete an admin token. It stops working within a second.')
  .argument('<id>', 'The id of the token.')
  .action(async (id: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const deleted = await client.call('DELETE', `/admin-tokens/${encodeURIComponent(id)}`)
      if (options.json) printJson(deleted)
      else console.log(`${id} is deleted.`)
    }),
  )

export default listingGroup('admin-tokens', 'Create, list and delete tokens of the admin API.', list, [create, remove])

function role(text: string): string {
  if ((adminRoles as readonly string[]).includes(text)) return text
  throw new InvalidArgumentError(`Expected ${adminRoles.join(', ')}.`)
}

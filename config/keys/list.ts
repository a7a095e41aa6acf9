import type { JsonObject } from '../../core/index.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson } from '../admin/print.ts'
import { table } from '../table.ts'

export default adminCommand('list', 'List API keys, the oldest first.').action(async (options: AdminOptions) =>
  withAdmin(options, async client => {
    const all = await client.all('/keys')
    if (options.json) printJson(all)
    else if (all.length === 0) console.log('No keys yet. Create one with: npx turnpike keys create')
    else console.log(table(['ID', 'NAME', 'OWNER', 'STATUS', 'CREATED'], all.map(row)))
  }),
)

function row({ id, name, org, team, user, disabled, created_at: createdAt }: JsonObject): readonly string[] {
  const owner = [org, team, user].filter(part => part !== null).join('/')
  return [String(id), String(name), owner, disabled === true ? 'disabled' : 'active', String(createdAt).slice(0, 10)]
}

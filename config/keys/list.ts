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

function row({ id, name, org, team, user, disabled, expires_at: expiresAt, created_at: createdAt }: JsonObject): readonly string[] {
  const owner = [org, team, user].filter(part => part !== null).join('/')
  const isExpired = typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.now()
  const status = disabled === true ? 'disabled' : isExpired ? 'expired' : 'active'
  return [String(id), String(name), owner, status, String(createdAt).slice(0, 10)]
}

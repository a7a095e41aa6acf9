import type { JsonObject } from '../../core/index.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson, printList } from '../admin/print.ts'

const parameters = {
  from: 'from',
  to: 'to',
  bucket: 'bucket',
  groupBy: 'group_by',
  org: 'org',
  team: 'team',
  user: 'user',
  key: 'key',
  session: 'session',
  top: 'top',
} as const

interface UsageOptions extends AdminOptions, Partial<Record<keyof typeof parameters, string>> {}

export default adminCommand('usage', 'Show requests, tokens and cost over time.')
  .option('--from <time>', 'A time such as 2026-01-31T12:00:00Z. Default: a day ago.')
  .option('--to <time>', 'Default: now.')
  .option('--bucket <length>', 'minute, hour, day or total.', 'hour')
  .option('--group-by <a,b>', 'Any of model, provider, key, team, org, session.')
  .option('--org <id>', 'Only this organization.')
  .option('--team <id>', 'Only this team.')
  .option('--user <id>', 'Only this user.')
  .option('--key <id>', 'Only this key.')
  .option('--session <id>', "Only this session. With --key, also by the client's own name for it.")
  .option('--top <number>', 'How many groups to keep, up to 100. The rest is added up. Default: all, or 100 sessions.')
  .action(showUsage)

async function showUsage(options: UsageOptions): Promise<void> {
  const query = new URLSearchParams()
  for (const [option, parameter] of Object.entries(parameters)) {
    const value = options[option as keyof typeof parameters]
    if (value !== undefined) query.set(parameter, value)
  }
  await withAdmin(options, async client => {
    const usage = await client.call('GET', `/usage?${query}`)
    const data = usage['data'] as readonly JsonObject[]
    const groups = options.groupBy?.split(',') ?? []
    if (options.json) printJson(data)
    else
      printList(
        data,
        ['at', ...groups, 'requests', 'errors', ...attemptsBy(groups), 'input_tokens', 'output_tokens', 'cost_usd'],
        'No requests in this period.',
      )
  })
}

/** A request may have asked several models and providers. */
function attemptsBy(groups: readonly string[]): readonly string[] {
  return groups.includes('model') || groups.includes('provider') ? ['attempts', 'failed_attempts'] : []
}

import type { JsonObject } from '../../core/index.ts'
import { alertKinds, alertStates } from '../../core/stores.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { alertMessageCommands } from '../admin/alert-messages.ts'
import { alertTargetCommands } from '../admin/alert-targets.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson, printList } from '../admin/print.ts'
import { listingGroup, numberFrom } from '../command.ts'

const filters = ['kind', 'org', 'state', 'from', 'to'] as const

interface ListOptions extends AdminOptions, Partial<Record<(typeof filters)[number], string>> {
  readonly limit: number
}

interface SilenceOptions extends AdminOptions {
  readonly until: string
  readonly kind?: string
  readonly subject?: string
  readonly org?: string
  readonly note?: string
}

const list = adminCommand('list', 'List alerts, the newest first.')
  .option('--kind <kind>', `Only this kind: ${alertKinds.join(', ')}.`)
  .option('--org <id>', 'Only those of this organization.')
  .option('--state <state>', `Only this state: ${alertStates.join(', ')}.`)
  .option('--from <time>', 'A time such as 2026-01-31T12:00:00Z.')
  .option('--to <time>', 'A time such as 2026-01-31T12:00:00Z.')
  .option(
    '--limit <number>',
    'How many.',
    numberFrom('a whole number from 1 to 100', limit => Number.isInteger(limit) && limit >= 1 && limit <= 100),
    20,
  )
  .action(async (options: ListOptions) =>
    withAdmin(options, async client => {
      const query = new URLSearchParams({ limit: String(options.limit) })
      for (const name of filters) if (options[name] !== undefined) query.set(name, options[name])
      const data = (await client.call('GET', `/alerts?${query.toString()}`))['data'] as readonly JsonObject[]
      if (options.json) printJson(data)
      else printList(data, ['created_at', 'severity', 'state', 'title', 'org', 'id'], 'No alerts match.')
    }),
  )

const acknowledge = adminCommand('acknowledge', 'Say that somebody takes care of an alert.')
  .argument('<id>', 'The id of the alert.')
  .action(async (id: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const alert = await client.call('POST', `/alerts/${encodeURIComponent(id)}/acknowledge`)
      if (options.json) printJson(alert)
      else console.log(`${id} is acknowledged.`)
    }),
  )

const silence = adminCommand('silence', 'Keep alerts from being delivered until a time. They are still listed.')
  .requiredOption('--until <time>', 'A time such as 2026-01-31T12:00:00Z, at most a year from now.')
  .option('--kind <kind>', `Only this kind: ${alertKinds.join(', ')}.`)
  .option('--subject <subject>', 'Only alerts about this, such as provider:openai.')
  .option('--org <id>', 'Only those of this organization.')
  .option('--note <text>', 'Such as the reason.')
  .action(async ({ until, kind, subject, org, note, ...options }: SilenceOptions) =>
    withAdmin(options, async client => {
      const given = Object.entries({ until, kind, subject, org, note }).filter(([, value]) => value !== undefined)
      const made = await client.call('POST', '/silences', Object.fromEntries(given))
      if (options.json) printJson(made)
      else console.log(`${String(made['id'])} silences until ${String(made['until'])}.`)
    }),
  )

const silences = adminCommand('silences', 'List silences that have not ended.').action(async (options: AdminOptions) =>
  withAdmin(options, async client => {
    const all = await client.all('/silences')
    if (options.json) printJson(all)
    else printList(all, ['id', 'until', 'kind', 'subject', 'org', 'note'], 'No silences.')
  }),
)

const end = adminCommand('end-silence', 'Delete a silence.')
  .argument('<id>', 'The id of the silence.')
  .action(async (id: string, options: AdminOptions) =>
    withAdmin(options, async client => {
      const deleted = await client.call('DELETE', `/silences/${encodeURIComponent(id)}`)
      if (options.json) printJson(deleted)
      else console.log(`${id} is deleted.`)
    }),
  )

export default listingGroup('alerts', 'List, acknowledge and silence alerts, and manage who gets them.', list, [
  acknowledge,
  silence,
  silences,
  end,
  ...alertTargetCommands,
  ...alertMessageCommands,
])

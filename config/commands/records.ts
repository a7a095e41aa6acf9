import type { JsonObject } from '../../core/index.ts'
import { recordFilters, type RecordFilterName } from '../../core/stores.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { printJson, printList, printObject } from '../admin/print.ts'
import { listingGroup, numberFrom } from '../command.ts'

const filters = [...(Object.keys(recordFilters) as readonly RecordFilterName[]), 'status', 'from', 'to'] as const

interface RecordOptions extends AdminOptions, Partial<Record<(typeof filters)[number], string>> {
  readonly minCost?: string
  readonly limit?: number
  readonly content?: boolean
}

const list = withFilters(adminCommand('list', 'List records, the newest first.'))
  .option(
    '--limit <number>',
    'How many.',
    numberFrom('a whole number from 1 to 100', limit => Number.isInteger(limit) && limit >= 1 && limit <= 100),
    20,
  )
  .action(async (options: RecordOptions) =>
    withAdmin(options, async client => {
      const page = await client.call('GET', `/records?${queryOf(options)}&limit=${options.limit}`)
      const data = page['data'] as readonly JsonObject[]
      if (options.json) printJson(data)
      else printList(data, ['created_at', 'id', 'status', 'key', 'model', 'provider', 'elapsed_ms', 'cost_usd'], 'No records match.')
    }),
  )

const show = adminCommand('show', 'Show one record.')
  .argument('<id>', 'The id of the request, or of the response or decision that answered it.')
  .option('--content', 'Add the stored request and response. The audit trail records this.')
  .action(async (id: string, options: RecordOptions) =>
    withAdmin(options, async client => {
      const record = await client.call('GET', `/records/${encodeURIComponent(id)}${options.content ? '?content=true' : ''}`)
      if (options.json) printJson(record)
      else printObject(record)
    }),
  )

const exportAll = withFilters(adminCommand('export', 'Print all records that match, as JSON lines.')).action(
  async (options: RecordOptions) =>
    withAdmin(options, client => client.pipe(`/records/export?${queryOf(options)}`, text => void process.stdout.write(text))),
)

export default listingGroup('records', 'Show requests: when, by which key, and at what cost.', list, [show, exportAll])

function withFilters(command: ReturnType<typeof adminCommand>): ReturnType<typeof adminCommand> {
  for (const name of filters)
    command.option(`--${name} <value>`, name === 'from' || name === 'to' ? 'A time such as 2026-01-31T12:00:00Z.' : `Only this ${name}.`)
  return command.option('--min-cost <usd>', 'Only those that cost at least this much.')
}

function queryOf(options: RecordOptions): string {
  const query = new URLSearchParams()
  for (const name of filters) if (options[name] !== undefined) query.set(name, options[name])
  if (options.minCost !== undefined) query.set('min_cost_usd', options.minCost)
  return query.toString()
}

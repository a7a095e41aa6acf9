import type { JsonObject } from '../../core/index.ts'
import { recordFields, recordFilters, type Field, type RecordFilterName } from '../../core/stores.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminOptions } from '../admin/client.ts'
import { bound, timeSince } from '../admin/periods.ts'
import { printJson, printList, printObject } from '../admin/print.ts'
import { listingGroup, numberFrom } from '../command.ts'
import { ConfigError } from '../errors.ts'

const filters = [...(Object.keys(recordFilters) as readonly RecordFilterName[]), 'status', 'from', 'to'] as const
const bySlowness = 'elapsed_ms'

interface RecordOptions extends AdminOptions {
  readonly [option: string]: unknown
  readonly failed?: boolean
  readonly since?: number
  readonly slow?: boolean
  readonly sort?: string
  readonly order?: string
  readonly min?: readonly string[]
  readonly max?: readonly string[]
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
      if (options.json) return printJson(data)
      printList(data, columnsOf(options), 'No records match.')
      const from = page['searched_from']
      if (typeof from === 'string')
        console.log(`\nOnly records since ${from} were searched, because there are many. Add --to ${from} for older ones.`)
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
  command
    .option('--failed', 'Only requests that failed, also those whose stream broke off.')
    .option('--since <time>', 'Only the last 30m, 2h, 3d or so.', timeSince)
    .option('--slow', 'The slowest first: --sort elapsed_ms.')
  for (const name of filters) command.option(`--${optionOf(name)} <value>`, helpOf(name))
  return command
    .option('--min-cost <usd>', 'Only those that cost at least this much.')
    .option(
      '--min <name=number>',
      'Only those with at least this elapsed_ms, first_event_ms, input_tokens, output_tokens, total_tokens or cost_usd. May be repeated.',
      bound,
    )
    .option('--max <name=number>', 'The same for at most. May be repeated.', bound)
    .option('--sort <name>', 'Sort by one of these, or by created_at. Default: created_at.')
    .option('--order <order>', 'desc or asc. Default: desc.')
}

function helpOf(name: (typeof filters)[number]): string {
  if (name === 'from' || name === 'to') return 'A time such as 2026-01-31T12:00:00Z.'
  const { choices = [] } = (name === 'status' ? {} : recordFields[recordFilters[name] as keyof typeof recordFields]) as Partial<Field>
  return choices.length > 0 ? `Only this ${name}: ${choices.join(', ')}.` : `Only this ${name.replaceAll('_', ' ')}.`
}

function optionOf(name: string): string {
  return name.replaceAll('_', '-')
}

function memberOf(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function columnsOf({ failed, sort, slow }: RecordOptions): readonly string[] {
  const measure = sort ?? (slow ? bySlowness : undefined)
  const isShown = measure === undefined || ['elapsed_ms', 'cost_usd', 'created_at'].includes(measure) || measure.endsWith('_tokens')
  const why = failed ? ['error_code', 'reason'] : []
  return ['created_at', 'id', 'status', ...why, 'key', 'model', 'provider', 'elapsed_ms', ...(isShown ? [] : [measure]), 'cost_usd']
}

function queryOf(options: RecordOptions): string {
  const { since, slow, failed, sort, order, min = [], max = [], minCost } = options
  if (since !== undefined && options['from'] !== undefined) throw new ConfigError(undefined, ['--since and --from exclude each other.'])
  if (slow && sort !== undefined && sort !== bySlowness)
    throw new ConfigError(undefined, [`--slow sorts by ${bySlowness}. Leave out --sort.`])
  const query = new URLSearchParams()
  const set = (name: string, value: unknown): void => {
    if (value !== undefined) query.set(name, String(value))
  }
  for (const name of filters) set(name, options[memberOf(name)])
  if (since !== undefined) query.set('from', new Date(since).toISOString())
  if (failed) query.set('failed', 'true')
  set('sort', slow ? bySlowness : sort)
  set('order', order)
  set('min_cost_usd', minCost)
  for (const [side, bounds] of [
    ['min', min],
    ['max', max],
  ] as const)
    for (const each of bounds) {
      const [name = '', value] = each.split('=')
      set(`${side}_${name}`, value)
    }
  return query.toString()
}

import type { PassedOver } from '../../core/kit.ts'
import { adminCommand } from '../admin/admin-command.ts'
import { withAdmin, type AdminClient, type AdminOptions } from '../admin/client.ts'
import { passedOver } from '../admin/passed-over.ts'
import { printJson } from '../admin/print.ts'
import { findKey } from '../keys/find-key.ts'
import { table } from '../table.ts'

interface RoutesOptions extends AdminOptions {
  readonly sort?: string
  readonly interval?: string
  readonly key?: string
}

/** The reply of `GET /admin/v1/routes`. */
interface Routes {
  readonly sort: string | null
  readonly model_sort: string | null
  readonly unit: string | null
  readonly interval_ms: number
  readonly candidates: readonly RoutedEndpoint[]
}

interface RoutedEndpoint {
  readonly provider: string
  readonly model: string
  readonly value: number | null
  readonly requests: number
  readonly uptime: number | null
  readonly circuit_open: boolean
  readonly passed_over: PassedOver | null
}

export default adminCommand('routes', 'Show the order in which a request would try endpoints now, and why.')
  .argument('<model>', 'A model name as in a request, such as auto.')
  .option('--sort <sort>', 'Order by this sort instead of the default.')
  .option('--interval <interval>', 'The period of the metrics, such as 1h or 7 days. Default: 15 minutes.')
  .option('--key <key>', 'Apply the permissions and the policy of this API key: its id or its name.')
  .action(async (model: string, options: RoutesOptions) =>
    withAdmin(options, async client => {
      const found = await client.call('GET', `/routes?${await queryOf(model, options, client)}`)
      if (options.json) printJson(found)
      else console.log(`${report(found as unknown as Routes)}\n${client.local ? fromStores : 'This order comes from the running gateway.'}`)
    }),
  )

async function queryOf(model: string, { sort, interval, key }: RoutesOptions, client: AdminClient): Promise<URLSearchParams> {
  const named = key === undefined ? undefined : await findKey(client, key)
  const given = { model, sort, interval, key: named?.id }
  return new URLSearchParams(Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

const fromStores =
  'This order comes from the stored metrics, which do not include open circuits. Set GATEWAY_ADMIN_TOKEN to ask the running gateway instead.'

function report({ candidates, sort, model_sort: modelSort, unit, interval_ms: intervalMs }: Routes): string {
  const isAnyMeasured = candidates.some(({ requests }) => requests > 0)
  const value = sort === null ? 'VALUE' : `${sort.toUpperCase()}${unit === null ? '' : ` (${unit})`}`
  const models = modelSort !== null && modelSort !== sort ? `, models by ${modelSort}` : ''
  let place = 0
  const rows = candidates.map(each => [
    each.passed_over === null ? String(++place) : '-',
    each.provider,
    each.model,
    each.value === null ? '-' : String(each.value),
    String(each.requests),
    each.uptime === null ? '-' : `${(each.uptime * 100).toFixed(2)}%`,
    noteOn(each),
  ])
  return [
    table(['#', 'PROVIDER', 'MODEL', value, 'REQUESTS', 'UPTIME', 'NOTE'], rows),
    '',
    sort === null
      ? 'No sort is loaded, so endpoints are in the order of the catalog.'
      : `Ordered by ${sort}${models}, over the last ${minutesText(intervalMs)}.`,
    ...(isAnyMeasured ? [] : ['There were no attempts in that time, so equal endpoints keep the order of the catalog.']),
  ].join('\n')
}

function noteOn({ passed_over: reason, circuit_open: isOpen, requests }: RoutedEndpoint): string {
  const notes = [reason && passedOver[reason], isOpen && 'its circuit is open', requests === 0 && reason === null && 'no attempts']
  return notes.filter(Boolean).join(', ')
}

function minutesText(ms: number): string {
  for (const [unit, unitMs] of [
    ['day', 86_400_000],
    ['hour', 3_600_000],
  ] as const)
    if (ms >= unitMs && ms % unitMs === 0) return counted(ms / unitMs, unit)
  return counted(ms / 60_000, 'minute')
}

function counted(count: number, unit: string): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

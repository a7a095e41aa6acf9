import { GatewayError } from '../../core/foundation/errors.ts'
import type { JsonObject, PreviewedEndpoint, RoutePreview } from '../../core/index.ts'
import { command, configOption, type ConfigOption } from '../command.ts'
import { ConfigError } from '../errors.ts'
import { apiKeyId } from '../../core/admission/api-key.ts'
import { keyNamed } from '../keys/find-key.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { table } from '../table.ts'

interface RoutesOptions extends ConfigOption {
  readonly sort?: string
  readonly interval?: string
  readonly key?: string
  readonly json?: boolean
}

export default command('routes', 'Show in which order a request would be sent to endpoints now, and why. Reads the stored metrics.')
  .argument('<model>', 'A model name as in a request, such as auto.')
  .addOption(configOption())
  .option('--sort <sort>', 'Order by this sort instead of the default.')
  .option('--interval <interval>', 'The period of the metrics, such as 1h or 7 days. Default: 15 minutes.')
  .option('--key <key>', 'Apply the permissions and the policy of this API key: its id or its name.')
  .option('--json', 'Print JSON.')
  .action(showRoutes)

async function showRoutes(model: string, { config: path, sort, interval, key: wanted, json }: RoutesOptions): Promise<void> {
  const gateway = await openGateway(await loadConfig(path), { logLevel: 'warn', createFiles: false })
  try {
    const key =
      wanted === undefined
        ? undefined
        : ((await gateway.keys.find(apiKeyId(wanted) ?? wanted)) ?? keyNamed(wanted, await gateway.keys.list()))
    const preview = await gateway.routes({ model, sort, interval, key })
    console.log(json ? JSON.stringify(objectOf(preview), null, 2) : report(preview))
  } catch (error) {
    if (error instanceof GatewayError) throw new ConfigError(undefined, [error.message])
    throw error
  } finally {
    await gateway.stop()
  }
}

function objectOf({ modelSort, intervalMs, passedOver, candidates, ...preview }: RoutePreview): JsonObject {
  return {
    ...preview,
    model_sort: modelSort,
    interval_s: intervalMs / 1000,
    passed_over: passedOver,
    candidates: candidates.map(({ modelValue, passedOver: reason, circuitOpen, ...candidate }) => ({
      ...candidate,
      ...(modelValue !== undefined && { model_value: modelValue }),
      passed_over: reason,
      circuit_open: circuitOpen,
    })),
  }
}

const reasons: Readonly<Record<NonNullable<PreviewedEndpoint['passedOver']>, string>> = {
  tools: 'takes no tools',
  images: 'takes no images',
  files: 'takes no files',
  'structured-output': 'another endpoint has structured output',
  'web-search': 'another endpoint has web search',
  'context-management': 'another endpoint has context management',
  permission: 'the key does not allow it',
  policy: 'a policy excludes it',
  'context-window': 'the input is too long',
  'attempt-limit': 'beyond the limit of attempts',
  credit: 'the credit does not cover it',
  circuit: 'its circuit is open',
  queue: 'its queue is full',
}

function report({ candidates, sort, modelSort, unit, intervalMs }: RoutePreview): string {
  const isAnyMeasured = candidates.some(({ requests }) => requests > 0)
  const value = sort === null ? 'VALUE' : `${sort.toUpperCase()}${unit === null ? '' : ` (${unit})`}`
  const models = modelSort !== null && modelSort !== sort ? `, models by ${modelSort}` : ''
  let place = 0
  const rows = candidates.map(each => [
    each.passedOver === null ? String(++place) : '-',
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
      ? 'No sort is loaded: the order is that of the catalog.'
      : `Ordered by ${sort}${models}, over the last ${minutesText(intervalMs)}.`,
    ...(isAnyMeasured ? [] : ['No attempts were measured in that time, so equal endpoints keep the order of the catalog.']),
  ].join('\n')
}

function noteOn({ passedOver, circuitOpen, requests }: PreviewedEndpoint): string {
  const notes = [
    passedOver && reasons[passedOver],
    circuitOpen && 'its circuit is open',
    requests === 0 && passedOver === null && 'no attempts',
  ]
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

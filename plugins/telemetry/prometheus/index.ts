import { AdminRoutes, FailedTries, type AdminRoute } from '../../../core/admin.ts'
import { CallObservers, Clock, definePlugin, PluginError } from '../../../core/index.ts'
import { milliseconds, requirePeer, Siblings, Vitals } from '../../../core/kit.ts'
import { SharedMaps } from '../../../core/stores.ts'
import { Access } from './access.ts'
import { CallMetrics } from './call-metrics.ts'
import { Endpoints } from './endpoints.ts'
import { Families, ownerLabels } from './families.ts'
import { prefersOpenMetrics } from './format.ts'
import { OwnerCells } from './owner-cells.ts'
import { processMetrics } from './process-metrics.ts'
import { Scrape } from './scrape.ts'

const seconds = {
  type: 'array',
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  items: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
} as const

/** `GET /metrics` on the listener of the admin API, for Prometheus: docs/telemetry.md. Needs the package `@prometheus-io/client`. */
export default definePlugin({
  name: 'prometheus',
  contracts: { CallObservers: 1, AdminRoutes: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      token: {
        type: 'string',
        pattern: '^\\S+$',
        minLength: 16,
        writeOnly: true,
        description: 'A token that may read the metrics and nothing else. Admin tokens for all organizations may, too.',
      },
      open: {
        type: 'boolean',
        default: false,
        description: 'Whoever reaches the listener of the admin API may read the metrics, without a token.',
      },
      labels: {
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', enum: ownerLabels },
        default: [],
        description: 'Adds metrics by organization, team or API key, with their ids as labels.',
      },
      maxValues: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 200,
        description:
          'How many values of a label get series of their own until a restart: providers, models, organizations, teams, keys. The first ones do; the others are counted together as `other`. A model at two providers counts twice.',
      },
      durationBuckets: {
        ...seconds,
        default: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300],
        description: 'The upper bounds of the histograms of durations, in seconds.',
      },
      firstEventBuckets: {
        ...seconds,
        default: [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20, 60],
        description: 'The upper bounds of the histograms of the time to the first event, in seconds.',
      },
      workerTimeoutMs: {
        ...milliseconds,
        default: 2_000,
        description:
          'With several workers: how long the one that serves the admin listener waits for the metrics of the others. One that takes longer is left out.',
      },
    },
  },
  needs: {
    clock: Clock,
    shared: SharedMaps,
    siblings: Siblings,
    vitals: Vitals,
  },
  setup(gateway, options, { clock, shared, siblings, vitals }) {
    const { token, open, maxValues: max } = options
    if (token !== undefined && open) throw new PluginError(gateway.name, 'has both `token` and `open`. Remove one of them')
    requirePeer(gateway.name, '@prometheus-io/client', 'for GET /metrics')
    const told = new Set<string>()
    const full = (label: string): void => {
      if (told.has(label)) return
      told.add(label)
      gateway.log.warn('a label of metrics has too many values: further ones are counted as "other" until a restart', {
        label,
        maxValues: max,
      })
    }
    const families = new Families({
      duration: options.durationBuckets.toSorted(ascending),
      firstEvent: options.firstEventBuckets.toSorted(ascending),
    })
    const endpoints = new Endpoints(families, { max, full })
    const owners = options.labels.map(label => new OwnerCells(label, families, max, () => full(label)))
    gateway.add(CallObservers, new CallMetrics(families, endpoints, owners))
    const scrape = new Scrape({
      own: () => {
        const signs = vitals.read()
        return [...families.read(), ...processMetrics({ ...signs, providers: signs.providers.slice(0, max) }, endpoints)]
      },
      siblings,
      withinMs: options.workerTimeoutMs,
    })
    const access = token === undefined ? undefined : new Access(token, new FailedTries(shared, 'prometheus', clock))
    gateway.add(AdminRoutes, {
      method: 'GET',
      path: '/metrics',
      // With a token of its own, the plugin decides.
      role: open || access ? 'none' : 'viewer',
      reach: 'all',
      async handle(exchange, gateway) {
        await access?.check(exchange, gateway)
        const { contentType, text } = await scrape.text(prefersOpenMetrics(exchange.request.headers.get('accept')))
        return { status: 200, headers: { 'content-type': contentType }, body: text }
      },
      describe: () => ({
        summary: 'Read metrics for Prometheus',
        replies: {
          200: {
            description: 'The metrics in the text format of Prometheus or, if `accept` prefers it, in that of OpenMetrics.',
            content: { 'text/plain': { type: 'string' }, 'application/openmetrics-text': { type: 'string' } },
          },
        },
      }),
    } satisfies AdminRoute)
  },
})

function ascending(one: number, other: number): number {
  return one - other
}

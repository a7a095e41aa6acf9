import { Clock, definePlugin, KeyStore, Ledger, MetricStore, RateLimiter, ResponseStore } from '../../../core/index.ts'
import { MemoryKeys } from './keys.ts'
import { MemoryLedger } from './ledger.ts'
import { MemoryLimits } from './limits.ts'
import { MemoryMetrics } from './metrics.ts'
import { MemoryResponses } from './responses.ts'

const tokens = { keys: KeyStore, responses: ResponseStore, metrics: MetricStore, limits: RateLimiter, ledger: Ledger } as const

/** Keeps everything in this process. Nothing survives a restart or is shared with other processes. */
export default definePlugin({
  name: 'memory',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      services: {
        type: 'array',
        items: { enum: ['keys', 'responses', 'metrics', 'limits', 'ledger'] },
        uniqueItems: true,
        default: ['keys', 'responses', 'metrics', 'limits', 'ledger'],
        description: 'What to keep in memory. Leave out what another store plugin keeps.',
      },
      maxResponses: {
        type: 'integer',
        minimum: 1,
        default: 10_000,
        description: 'How many responses to keep for chaining. The least recently used are dropped first.',
      },
    },
  },
  needs: { clock: Clock },
  provides: options => options.services.map(service => tokens[service]),
  setup(gateway, { services, maxResponses }, { clock }) {
    if (services.includes('keys')) gateway.provide(KeyStore, new MemoryKeys())
    if (services.includes('responses')) gateway.provide(ResponseStore, new MemoryResponses(maxResponses))
    if (services.includes('metrics')) gateway.provide(MetricStore, new MemoryMetrics(clock))
    if (services.includes('limits')) gateway.provide(RateLimiter, new MemoryLimits())
    if (services.includes('ledger')) gateway.provide(Ledger, new MemoryLedger())
  },
})

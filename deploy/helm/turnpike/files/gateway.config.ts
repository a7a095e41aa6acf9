// The config of the chart. The chart says where the gateway listens, how long it drains, under which names clusters know it, and whether
// Prometheus asks it. To use another one: helm upgrade … --set-file config=gateway.config.ts

import { defaults, defineConfig, env, optionalEnv } from 'turnpike/config'
import prometheus from 'turnpike/plugins/telemetry/prometheus'

const token = optionalEnv('METRICS_TOKEN')

export default defineConfig({
  server: {
    drainAnnounceMs: Number(env('DRAIN_ANNOUNCE_MS')),
    drainTimeoutMs: Number(env('DRAIN_TIMEOUT_MS')),
    admin: { hosts: env('ADMIN_HOSTS').split(',') },
  },
  plugins: [...defaults({ without: ['ollama'] }), optionalEnv('METRICS') && prometheus(token === undefined ? { open: true } : { token })],
})

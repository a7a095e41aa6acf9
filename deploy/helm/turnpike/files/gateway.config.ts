// The config of the chart. The chart says where the gateway listens, how long it drains and under which names clusters know it.
// To use another one: helm upgrade … --set-file config=gateway.config.ts

import { defaults, defineConfig, env } from 'turnpike/config'

export default defineConfig({
  server: {
    drainAnnounceMs: Number(env('DRAIN_ANNOUNCE_MS')),
    drainTimeoutMs: Number(env('DRAIN_TIMEOUT_MS')),
    admin: { hosts: env('ADMIN_HOSTS').split(',') },
  },
  plugins: [...defaults({ without: ['ollama'] })],
})

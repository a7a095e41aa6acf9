import { resolve } from 'node:path'
import { defaults, defineConfig } from 'turnpike/config'
import dm from 'turnpike/plugins/decisions/dm'
import localSealer from 'turnpike/plugins/sealers/local'
import sql from 'turnpike/plugins/stores/sql'

// Every default plugin with the stores of gateway.config.ts, and the benchmark's own decision vendor.

export default defineConfig({
  server: { logLevel: 'warn', drainAnnounceMs: 0 },
  plugins: [
    ...defaults({ without: ['ollama', 'dm', 'sql', 'local-sealer'] }),
    sql({ services: ['keys', 'responses'], file: resolve('data/turnpike.db') }),
    localSealer({ keyFile: resolve('data/master.key') }),
    dm({ baseUrl: process.env['BENCH_UPSTREAM']!, apiKey: 'sk-demo-upstream', requestsPerMinute: 1_000_000 }),
  ],
})

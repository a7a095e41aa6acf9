import { defaults, defineConfig } from 'turnpike/config'
import dm from 'turnpike/plugins/decisions/dm'

// Every default plugin, and the benchmark's own decision vendor.

export default defineConfig({
  server: { logLevel: 'warn' },
  plugins: [
    ...defaults({ without: ['ollama', 'dm'] }),
    dm({ baseUrl: process.env['BENCH_UPSTREAM']!, apiKey: 'sk-demo-upstream', requestsPerMinute: 1_000_000 }),
  ],
})

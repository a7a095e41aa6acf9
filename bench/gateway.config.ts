import { resolve } from 'node:path'
import { defaults, defineConfig } from 'turnpike/config'
import fileCatalog from 'turnpike/plugins/catalogs/file'
import responsesWebSocket from 'turnpike/plugins/endpoints/responses-websocket'
import openaiChat from 'turnpike/plugins/providers/openai-chat'
import localSealer from 'turnpike/plugins/sealers/local'
import sql from 'turnpike/plugins/stores/sql'
import opentelemetry from 'turnpike/plugins/telemetry/opentelemetry'
import prometheus from 'turnpike/plugins/telemetry/prometheus'

// The gateway under test: every default plugin, and a provider for the benchmark's upstream.

export default defineConfig({
  // Two gateways are compared at once, and each has an admin API.
  server: { logLevel: 'warn', admin: { port: 0 }, drainAnnounceMs: 0 },
  plugins: [
    // An Ollama on this machine must make no difference.
    ...defaults({ without: ['ollama', 'sql', 'local-sealer', 'responses-websocket'] }),
    // For one key with all connections.
    responsesWebSocket({ connectionsPerKey: 10_000 }),
    // The upstream takes whatever is sent to a collector.
    ...(process.env['BENCH_TELEMETRY'] ? [prometheus({}), opentelemetry({ endpoint: `${process.env['BENCH_UPSTREAM']}` })] : []),
    // Relative paths start at this file; the data belongs into the folder in which the benchmark starts the gateway.
    sql({
      services: [
        'keys',
        ...(process.env['BENCH_RESPONSES'] === 'memory' ? [] : (['responses'] as const)),
        ...(process.env['BENCH_RECORDS'] ? (['records'] as const) : []),
      ],
      file: resolve('data/turnpike.db'),
    }),
    localSealer({ keyFile: resolve('data/master.key') }),
    openaiChat({ id: 'bench', baseUrl: `${process.env['BENCH_UPSTREAM']}/v1`, apiKey: 'sk-demo-upstream' }),
    fileCatalog({ models: [{ model: 'bench-model', endpoints: [{ provider: 'bench', price: { input: 0.5, output: 2 } }] }] }),
  ],
})

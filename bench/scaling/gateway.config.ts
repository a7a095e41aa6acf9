import { defaults, defineConfig } from 'turnpike/config'
import fileCatalog from 'turnpike/plugins/catalogs/file'
import openaiChat from 'turnpike/plugins/providers/openai-chat'

// One of many replicas: every default plugin, with DATABASE_URL and VALKEY_URL, and a provider for the benchmark's upstream.

export default defineConfig({
  server: { logLevel: 'warn', admin: { port: 0 } },
  plugins: [
    ...defaults({ without: ['ollama'] }),
    openaiChat({ id: 'bench', baseUrl: `${process.env['BENCH_UPSTREAM']}/v1`, apiKey: 'sk-demo-upstream' }),
    fileCatalog({ models: [{ model: 'bench-model', endpoints: [{ provider: 'bench', price: { input: 0.5, output: 2 } }] }] }),
  ],
})

import { defaults, defineConfig } from 'turnpike/config'
import fileCatalog from 'turnpike/plugins/catalogs/file'
import type { Wire } from './streamed-reply.ts'
import { wirePlugin } from './wire-plugins.ts'

// The gateway of `wires.ts`: one dialect, and one provider per upstream, passed as JSON.

const wire = process.env['BENCH_WIRE'] as Wire
const upstreams = JSON.parse(process.env['BENCH_UPSTREAMS']!) as Readonly<Record<string, string>>

export default defineConfig({
  server: { logLevel: 'warn', drainAnnounceMs: 0 },
  plugins: [
    // The result must not depend on whether Ollama runs on this machine.
    ...defaults({ without: ['ollama'] }),
    ...Object.entries(upstreams).map(([id, origin]) => wirePlugin(wire, id, origin)),
    fileCatalog({
      models: [
        { model: 'bench-model', endpoints: Object.keys(upstreams).map(provider => ({ provider, price: { input: 0.5, output: 2 } })) },
      ],
    }),
  ],
})

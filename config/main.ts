import { createRequire } from 'node:module'
import { defineCommand, runMain } from 'citty'
import { holdHeap } from './heap.ts'

interface Manifest {
  readonly version: string
  readonly description: string
}

/** The `turnpike` command. Each part is loaded when it is asked for. */
const main = defineCommand({
  meta: () => {
    const { version, description } = createRequire(import.meta.url)('turnpike/package.json') as Manifest
    return { name: 'turnpike', version, description }
  },
  subCommands: {
    start: () => import('./commands/start.ts').then(module => module.default),
    check: () => import('./commands/check.ts').then(module => module.default),
    keys: () => import('./commands/keys.ts').then(module => module.default),
    decisions: () => import('./commands/decisions.ts').then(module => module.default),
  },
})

holdHeap()
await runMain(main)

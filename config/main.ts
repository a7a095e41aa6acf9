import { defineCommand, runMain } from 'citty'

/** The `turnpike` command. Each part is loaded when it is asked for. */
const main = defineCommand({
  meta: async () => {
    const { default: manifest } = await import('turnpike/package.json', { with: { type: 'json' } })
    return { name: 'turnpike', version: manifest.version, description: manifest.description }
  },
  subCommands: {
    start: () => import('./commands/start.ts').then(module => module.default),
    check: () => import('./commands/check.ts').then(module => module.default),
    keys: () => import('./commands/keys.ts').then(module => module.default),
  },
})

await runMain(main)

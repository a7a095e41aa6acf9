import { createRequire } from 'node:module'
import { commandGroup } from './command.ts'
import { failureText } from './errors.ts'
import { watchFaults } from './faults.ts'
import { leave } from './leave.ts'
import { maskProcessOutput } from './process-output.ts'

interface Manifest {
  readonly version: string
  readonly description: string
}

/** The subcommands, in the order of the help. */
const parts = {
  init: () => import('./commands/init.ts'),
  plugin: () => import('./commands/plugin.ts'),
  start: () => import('./commands/start.ts'),
  dev: () => import('./commands/dev.ts'),
  check: () => import('./commands/check.ts'),
  routes: () => import('./commands/routes.ts'),
  migrate: () => import('./commands/migrate.ts'),
  copy: () => import('./commands/copy.ts'),
  'rotate-key': () => import('./commands/rotate-key.ts'),
  keys: () => import('./commands/keys.ts'),
  orgs: () => import('./commands/orgs.ts'),
  teams: () => import('./commands/teams.ts'),
  users: () => import('./commands/users.ts'),
  records: () => import('./commands/records.ts'),
  config: () => import('./commands/config.ts'),
  explain: () => import('./commands/explain.ts'),
  usage: () => import('./commands/usage.ts'),
  alerts: () => import('./commands/alerts.ts'),
  'admin-tokens': () => import('./commands/admin-tokens.ts'),
  decisions: () => import('./commands/decisions.ts'),
  conformance: () => import('./commands/conformance.ts'),
}

maskProcessOutput()
watchFaults()
const { version, description } = createRequire(import.meta.url)('turnpike/package.json') as Manifest
const program = commandGroup('turnpike', description).version(version, '--version', 'Print the version.')
const [, , named = ''] = process.argv
// Load only the subcommand that runs.
if (named === 'worker') program.addCommand((await import('./commands/worker.ts')).default, { hidden: true })
else {
  const loaders = Object.hasOwn(parts, named) ? [parts[named as keyof typeof parts]] : Object.values(parts)
  for (const load of loaders) program.addCommand((await load()).default)
}
try {
  await program.parseAsync()
  if (named !== 'start' && named !== 'dev' && named !== 'worker') await leave()
} catch (error) {
  process.exitCode = 1
  console.error(`turnpike: ${failureText(error)}`)
  await leave()
}

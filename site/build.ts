// Builds the site into site/dist: `npm run site`. With --pages, only what the generator reads.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { siteProblems } from './check.ts'
import { writePages } from './pages.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

writePages()
if (!process.argv.includes('--pages')) {
  if (!existsSync(`${folder}node_modules/astro`)) run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  run('npx', 'astro', 'build')
  const problems = siteProblems(`${folder}dist`)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}

function run(command: string, ...args: readonly string[]): void {
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' }
  const { status } = spawnSync(command, args, { cwd: folder, env, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}.`)
}

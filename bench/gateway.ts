import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from './server-process.ts'

export interface GatewayCommand {
  readonly command: Command
  readonly apiKey: string
}

const main = fileURLToPath(new URL('../dist/config/main.js', import.meta.url))

/** The built gateway in a temporary folder, and a key for it. `settings` are the environment variables of its configuration. */
export function gatewayCommand(port: number, configFile: string, settings: Readonly<Record<string, string>>): GatewayCommand {
  if (!existsSync(main)) throw new Error('dist/ is missing. Run `npm run build` first.')
  const config = fileURLToPath(new URL(configFile, import.meta.url))
  const cwd = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const env = {
    ...settings,
    // Like bin/turnpike.js, which would run from source here.
    NODE_COMPILE_CACHE: join(cwd, 'compile-cache'),
    // Ignores providers whose keys happen to be in the environment.
    ...Object.fromEntries(
      Object.keys(process.env)
        .filter(name => name.endsWith('_API_KEY'))
        .map(name => [name, '']),
    ),
  }
  const create = [main, 'keys', 'create', '--config', config, '--name', 'bench']
  const apiKey = execFileSync(process.execPath, create, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
  return { command: { nodeArguments: [main, 'start', '--config', config, '--port', `${port}`], env, cwd }, apiKey }
}

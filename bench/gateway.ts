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

/** The built gateway in a folder of its own, and a key to it. `settings` are what its configuration reads from the environment. */
export function gatewayCommand(port: number, configFile: string, settings: Readonly<Record<string, string>>): GatewayCommand {
  if (!existsSync(main)) throw new Error('There is no dist/: npm run build')
  const config = fileURLToPath(new URL(configFile, import.meta.url))
  const cwd = mkdtempSync(join(tmpdir(), 'turnpike-bench-'))
  const env = {
    ...settings,
    // As bin/turnpike.js does, which would run the sources here.
    NODE_COMPILE_CACHE: join(cwd, 'compile-cache'),
    // Providers whose keys happen to be in the environment have no part in this.
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

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './scratch.ts'
import type { Command } from './server-process.ts'

export interface GatewayCommand {
  readonly command: Command
  readonly apiKey: string
}

const ownFolder = fileURLToPath(new URL('..', import.meta.url))

/**
 * The gateway that is built in `folder`, with its data in a temporary folder, and a key to it. `settings` are what its config reads from the
 * environment, `keyOptions` those of `turnpike keys create`.
 */
export function gatewayCommand(
  port: number,
  configFile: string,
  settings: Readonly<Record<string, string>>,
  folder = ownFolder,
  keyOptions: readonly string[] = [],
): GatewayCommand {
  const main = join(folder, 'dist/config/main.js')
  if (!existsSync(main)) throw new Error(`There is no ${main}. Run npm run build in ${folder}.`)
  const config = join(folder, 'bench', configFile)
  const cwd = scratchFolder()
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
  const create = [main, 'keys', 'create', '--config', config, '--name', 'bench', ...keyOptions]
  const apiKey = execFileSync(process.execPath, create, { cwd, env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
  return { command: { nodeArguments: [main, 'start', '--config', config, '--port', `${port}`], env, cwd }, apiKey }
}

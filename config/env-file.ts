import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError } from './errors.ts'

/** The variables that the file set last, and their values. */
const set = new Map<string, string>()

/** Sets the variables of a file. Those that come from elsewhere win. Those that an earlier version of the file set, and this one does not, are removed. */
export function readEnvFile(path: string): void {
  const variables = existsSync(path) ? variablesIn(path) : {}
  for (const [name, value] of set) if (process.env[name] === value) delete process.env[name]
  set.clear()
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined || process.env[name] !== undefined) continue
    process.env[name] = value
    set.set(name, value)
  }
}

function variablesIn(path: string): NodeJS.Dict<string> {
  try {
    // Editors on Windows start files with a byte order mark, which would become part of the first name.
    return parseEnv(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(path, [`It cannot be read (${code}). Make it a readable file of lines NAME=value, or remove it.`])
  }
}

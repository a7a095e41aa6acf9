import { secretIn } from './secret-file.ts'

/** The value of an environment variable that must be set, or the text of the file that `NAME_FILE` names. Blank counts as not set. */
export function env(name: string): string {
  return requiredEnv(name, 'Set it, or remove what needs it.')
}

/** The value of an environment variable, if it is set and not blank; or the text of the file that `NAME_FILE` names. */
export function optionalEnv(name: string): string | undefined {
  const path = process.env[`${name}_FILE`]
  const value = path?.trim() ? secretIn(name, path, process.env[name]) : process.env[name]
  if (!value?.trim()) return undefined
  read.set(name, value)
  return value
}

const read = new Map<string, string>()

/** The variables read so far, by name. */
export function readVariables(): ReadonlyMap<string, string> {
  return read
}

/** Like `env`, with advice of the caller's: it follows "The environment variable … is not set." */
export function requiredEnv(name: string, advice: string): string {
  const value = optionalEnv(name)
  if (value !== undefined) return value
  const missing = new Error(`The environment variable ${name} is not set. ${advice}`)
  if (!collected) throw missing
  collected.set(name, missing)
  return ''
}

/** Errors by variable name. */
let collected: Map<string, Error> | undefined

/** Until disposed, `env` returns '' for a missing variable and collects the error here, so that one message can name them all. */
export class MissingVariables implements Disposable {
  readonly #errors = new Map<string, Error>()

  constructor() {
    collected = this.#errors
  }

  get errors(): readonly Error[] {
    return [...this.#errors.values()]
  }

  [Symbol.dispose](): void {
    collected = undefined
  }
}

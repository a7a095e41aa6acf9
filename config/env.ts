/** An environment variable that the config needs. */
export function env(name: string): string {
  return requiredEnv(name, 'Set it, or remove what needs it.')
}

/** Undefined when the variable is not set, or empty. */
export function optionalEnv(name: string): string | undefined {
  return process.env[name] || undefined
}

/** The variable's value. `advice` follows the sentence that says that it is not set. */
export function requiredEnv(name: string, advice: string): string {
  const value = optionalEnv(name)
  if (value !== undefined) return value
  const missing = new Error(`The environment variable ${name} is not set. ${advice}`)
  if (!collected) throw missing
  collected.set(name, missing)
  return ''
}

/** Errors by the name of the variable. */
let collected: Map<string, Error> | undefined

/** Until it is disposed, a variable that is not set reads as empty and is kept here, so that all of them can be named at once. */
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

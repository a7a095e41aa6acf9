/** An environment variable that the config cannot do without. */
export function env(name: string): string {
  const value = optionalEnv(name)
  if (value === undefined) throw new Error(`The environment variable ${name} is not set. Set it, or take out what needs it.`)
  return value
}

/** Undefined when the variable is not set, or empty. */
export function optionalEnv(name: string): string | undefined {
  return process.env[name] || undefined
}

import type { Test } from 'tap'

/** The environment of AWS's tools, for this test alone: of their variables only the given ones are set. */
export function awsEnvironment(t: Test, given: Readonly<Record<string, string>> = {}): void {
  const isReplaced = (name: string): boolean => name.startsWith('AWS_') || name in given
  const before = Object.entries(process.env).filter(([name]) => isReplaced(name))
  const replace = (entries: Iterable<readonly [string, string | undefined]>): void => {
    for (const name of Object.keys(process.env)) if (isReplaced(name)) delete process.env[name]
    for (const [name, value] of entries) process.env[name] = value
  }
  replace(Object.entries(given))
  t.teardown(() => replace(before))
}

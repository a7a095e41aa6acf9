import { spawnSync } from 'node:child_process'

/** Why a program of Debian's package `prometheus` cannot be run, as tap's `skip` takes it; false where it can. */
export function withoutProgram(name: 'promtool' | 'prometheus'): string | false {
  return spawnSync(name, ['--version']).status === 0 ? false : `${name} is not there: apt-get install prometheus`
}

/** Runs promtool. Returns all that it printed, and whether it was content. */
export function promtool(args: readonly string[], input = ''): { readonly isOk: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { isOk: status === 0, output: `${stdout}${stderr}` }
}

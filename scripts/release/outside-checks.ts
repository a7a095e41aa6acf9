import { spawnSync } from 'node:child_process'

/** Programs that others keep, with which the maker of a package checks it. Only a release needs them, so npm gets them then. */
const programs = [
  { name: 'publint', args: ['publint@0.3.25', 'run', '--strict'] },
  // Node.js 24 loads ES modules from CommonJS, too. The rules for older resolutions do not apply.
  { name: 'attw', args: ['@arethetypeswrong/cli@0.18.5', '--profile', 'esm-only', '--format', 'ascii'] },
]

/** The problems that publint and attw (Are the types wrong?) find in a tarball. */
export function outsideProblems(tarball: string, wanted: readonly string[] = programs.map(({ name }) => name)): readonly string[] {
  return programs
    .filter(({ name }) => wanted.includes(name))
    .flatMap(({ name, args }) => {
      const { status, stdout, stderr } = spawnSync('npx', ['--yes', ...args, tarball], {
        encoding: 'utf8',
        shell: process.platform === 'win32',
      })
      return status === 0 ? [] : [`${name} found something:\n${stdout}${stderr}`]
    })
}

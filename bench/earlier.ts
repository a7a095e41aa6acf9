import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from './scratch.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The folder of another build for `--against`: the folder itself, or a temporary worktree of a commit, which this builds. */
export function earlierBuild(folderOrCommit: string): string {
  if (existsSync(join(folderOrCommit, 'package.json'))) return folderOrCommit
  const folder = join(scratchFolder(), 'earlier')
  git('worktree', 'add', '--detach', folder, folderOrCommit)
  process.once('exit', () => git('worktree', 'remove', '--force', folder))
  if (lockOf(folder) === lockOf(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  execFileSync(process.execPath, ['scripts/build.js', '--javascript-only'], { cwd: folder, stdio: 'inherit' })
  return folder
}

function git(...command: readonly string[]): void {
  execFileSync('git', command, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
}

function lockOf(folder: string): string {
  return readFileSync(join(folder, 'package-lock.json'), 'utf8')
}

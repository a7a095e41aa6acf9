import { spawnSync } from 'node:child_process'

export function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout.trim()
}

/** Why nothing can be released from this state of the repository. */
export function stateProblems(root: string): readonly string[] {
  const changes = git(root, 'status', '--porcelain')
  return changes === '' ? [] : [`Files are changed or not known to git. Commit or remove them:\n${changes}`]
}

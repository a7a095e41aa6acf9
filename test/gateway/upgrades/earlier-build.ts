import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** The last one before migrations only add. */
const commit = '8822b565f24b7439339ad6ee6c987372e351870b'

/** Why the version before cannot be built here; false if it can be. Use it as `skip`. */
export const noEarlierBuild: string | false =
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status !== 0 &&
  `needs the history of the repository: git fetch origin ${commit}`

export interface EarlierBuild {
  /** For `ReplicaSettings`: it becomes the command of that version. */
  readonly launcher: readonly string[]
  remove(): void
}

/** Builds the version before in a folder of its own. */
export function buildEarlier(): EarlierBuild {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-earlier-'))
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: root, maxBuffer: 2 ** 30 })
  const sources = join(folder, 'sources')
  execFileSync('mkdir', [sources])
  execFileSync('tar', ['-x', '-C', sources], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'))
  const built = join(folder, 'package')
  execFileSync(process.execPath, ['scripts/build.js', '--javascript-only', '--out', join(built, 'dist')], { cwd: sources, stdio: 'ignore' })
  for (const path of ['package.json', 'bin']) execFileSync('cp', ['-R', join(sources, path), built])
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'))
  // Its arguments: node, the command of this version, and what follows it.
  const become = 'node=$1; shift 2; exec "$node" "$0" "$@"'
  return {
    launcher: ['/bin/sh', '-c', become, join(built, 'bin', 'turnpike.js')],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

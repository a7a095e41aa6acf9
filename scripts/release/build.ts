import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** `npm run build`. */
export function build(root: string): void {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/build.js')], { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`The build ended with ${status}.`)
}

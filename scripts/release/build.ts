import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** `npm run build`: both packages. */
export function build(root: string): void {
  for (const script of ['scripts/build.js', 'scripts/build-sdk.js']) {
    const { status } = spawnSync(process.execPath, [join(root, script)], { cwd: root, stdio: ['ignore', 2, 2] })
    if (status !== 0) throw new Error(`${script} ended with ${status}.`)
  }
}

import type { Fixed } from './messages.ts'
import { WorkerProcess, type Launch } from './worker-process.ts'

/** More than any config takes, on a busy machine. */
const limitMs = 120_000

export type Checked = { readonly fixed: Fixed; readonly needsCoordinator: boolean } | { readonly problem: string }

/** Sets the gateway of a config up in a process of its own, without changing anything. */
export async function checkConfig(launch: Launch): Promise<Checked> {
  const process = new WorkerProcess(0, launch, () => {})
  const timer = setTimeout(() => process.kill(), limitMs)
  try {
    const loaded = await process.reports('loaded')
    if (loaded) process.send({ kind: 'check' })
    const opened = await process.reports('opened')
    await process.ended
    if (loaded && opened) return { fixed: opened.fixed, needsCoordinator: loaded.needsCoordinator }
    return { problem: process.problem ?? `The process that checks the config ended, or took longer than ${limitMs / 1_000} s.` }
  } finally {
    clearTimeout(timer)
  }
}

/** The problem that keeps a config from being loaded while the gateway runs, and warnings about what it changes in vain. */
export function compare(old: Fixed, next: Fixed): { readonly problem?: string; readonly warnings: readonly string[] } {
  if (old.isHttps !== next.isHttps) {
    const problem = `server.tls was ${next.isHttps ? 'added' : 'removed'}, and a reload cannot switch between HTTP and HTTPS. Restart the gateway.`
    return { problem, warnings: [] }
  }
  const members: readonly (readonly [name: string, old: unknown, next: unknown])[] = [
    ['server.host', old.host, next.host],
    ['server.port', old.port, next.port],
    ['server.workers', old.workers, next.workers],
    ['server.admin', addressOf(old), addressOf(next)],
  ]
  const changed = members.filter(([, before, after]) => before !== after)
  return {
    warnings: changed.map(
      ([name, before, after]) =>
        `${name} cannot change in a reload: it stays ${before}, and the config now says ${after}. Restart the gateway.`,
    ),
  }
}

function addressOf({ admin }: Fixed): string {
  return admin ? `${admin.host}:${admin.port}` : 'off'
}

import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } }
  readonly nodes: readonly number[]
  readonly strings: readonly string[]
}

/** How many strings of at least so many bytes begin like this, after a collection. Slices and joined strings are not counted themselves. */
export function longStrings(start: string, leastBytes: number): number {
  const file = writeHeapSnapshot(join(tmpdir(), `held-${process.pid}.heapsnapshot`))
  try {
    const { snapshot, nodes, strings } = JSON.parse(readFileSync(file, 'utf8')) as Snapshot
    const { node_fields: fields } = snapshot.meta
    const [name, size] = [fields.indexOf('name'), fields.indexOf('self_size')]
    let count = 0
    for (let at = 0; at < nodes.length; at += fields.length)
      if (nodes[at + size]! >= leastBytes && strings[nodes[at + name]!]!.startsWith(start)) count++
    return count
  } finally {
    rmSync(file)
  }
}

/** Collects all garbage, also of what has just been left. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await new Promise(resolve => setImmediate(resolve))
  collect()
}

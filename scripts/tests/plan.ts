import { globSync } from 'node:fs'
import { sep } from 'node:path'
import { alone, shards, type Shard } from './shards.ts'

/** One process: some test files of one shard, which run in it one after the other. */
export interface Share {
  readonly files: readonly string[]
  readonly shard: Shard
}

/** Few enough that a crash takes little with it, and that both cores are busy to the end. */
const maxFiles = 6

/** All test files, as paths from the root of the repository. */
export function testFiles(root: string): readonly string[] {
  return globSync(['test/**/*.test.ts', 'examples/*/test/*.test.ts'], { cwd: root })
    .map(file => file.replaceAll(sep, '/'))
    .sort()
}

/** The files that the words of a command line name: shards, folders and files. All of them where there are no words. */
export function filesOf(words: readonly string[], all: readonly string[]): readonly string[] {
  if (words.length === 0) return all
  const chosen = words.flatMap(word => {
    const path = word.replaceAll(sep, '/').replace(/^\.\//, '').replace(/\/$/, '')
    const found = all.filter(file => shardOf(file).name === path || file === path || file.startsWith(`${path}/`))
    if (found.length > 0) return found
    const names = shards.map(({ name }) => name).join(', ')
    throw new Error(`Expected a shard (${names}), a folder with tests or a test file, but got '${word}'.`)
  })
  return all.filter(file => chosen.includes(file))
}

export function shardOf(file: string): Shard {
  let found: { readonly shard: Shard; readonly folder: string } | undefined
  for (const shard of shards)
    for (const folder of shard.folders)
      if (file.startsWith(`${folder}/`) && folder.length > (found?.folder.length ?? 0)) found = { shard, folder }
  if (!found) throw new Error(`${file} is in no shard. Add its folder to scripts/tests/shards.ts.`)
  return found.shard
}

/** Who runs which files, in the order in which they start: files that are alone first, because they are the long ones. */
export function sharesOf(files: readonly string[]): readonly Share[] {
  const single = Object.keys(alone)
    .filter(file => files.includes(file))
    .map(file => ({ files: [file], shard: shardOf(file) }))
  const shared = shards.flatMap(shard => {
    const inShard = files.filter(file => !(file in alone) && shardOf(file) === shard)
    const size = Math.ceil(inShard.length / Math.ceil(inShard.length / maxFiles))
    return Array.from({ length: Math.ceil(inShard.length / size) }, (_, at) => ({
      files: inShard.slice(at * size, (at + 1) * size),
      shard,
    }))
  })
  return [...single, ...shared]
}

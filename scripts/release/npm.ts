import { spawnSync } from 'node:child_process'

/** Runs npm in a folder. Returns what it printed; what it complained about is in the error. */
export function npm(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    // The options of the npm that runs this script would hold for the inner one, too.
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_(?!registry|userconfig|cache)/i.test(name))),
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} in ${folder} ended with ${status}:\n${stderr}${stdout}`)
  return stdout
}

export interface Packed {
  readonly filename: string
  /** In bytes. */
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[]
}

/** `npm pack --json`, without running scripts. */
export function pack(folder: string, ...args: readonly string[]): Packed {
  const said = JSON.parse(npm(folder, 'pack', '--json', '--ignore-scripts', ...args)) as
    | readonly Packed[]
    | Readonly<Record<string, Packed>>
  // npm 12 answers by the name of the package.
  const [packed] = Object.values(said)
  if (packed === undefined) throw new Error(`npm packed nothing in ${folder}`)
  return packed
}

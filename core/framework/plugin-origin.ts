import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sharedByCopies } from '../foundation/shared-by-copies.ts'

/** A place in the code of a plugin. */
export interface CodePlace {
  readonly file: string
  readonly line: number
  /** `file:line:column`. */
  readonly text: string
}

/**
 * An error for each plugin, made where it was defined, whose last frame is the caller of `definePlugin`. Reading the stack of an error costs
 * far more than making one.
 */
const origins = sharedByCopies('origins', () => new WeakMap<object, Error>())

/** Called by `definePlugin`: its caller is the plugin's own file. */
export function rememberOrigin(plugin: unknown): void {
  if (typeof plugin !== 'object' || plugin === null) return
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = callerFrame + 1
  origins.set(plugin, new Error())
  Error.stackTraceLimit = stackTraceLimit
}

/** After `rememberOrigin` and `definePlugin`. */
const callerFrame = 2

function originOf(plugin: object): CodePlace | undefined {
  const frame = framesOf(origins.get(plugin)).at(-1)
  return frame === undefined ? undefined : placeOf(frame)
}

export interface Blamed<P> {
  readonly plugin: P
  readonly place: CodePlace
}

/** The plugin whose code raised the error, and where: the first place of the stack that belongs to one. Undefined if there is none. */
export function pluginBehind<P extends object>(error: unknown, plugins: readonly P[]): Blamed<P> | undefined {
  for (const place of placesOf(error)) {
    const plugin = ownerOf(place, plugins)
    if (plugin) return { plugin, place }
  }
  return undefined
}

/** Where the error was raised in the plugin's code. */
export function placeIn(error: unknown, plugin: object): CodePlace | undefined {
  return pluginBehind(error, [plugin])?.place
}

function placesOf(error: unknown): readonly CodePlace[] {
  return framesOf(error).flatMap(frame => placeOf(frame) ?? [])
}

function framesOf(error: unknown): readonly string[] {
  const stack = error instanceof Error ? (error.stack as unknown) : undefined
  return typeof stack === 'string' ? stack.split('\n').filter(line => /^\s+at /.test(line)) : []
}

function placeOf(frame: string): CodePlace | undefined {
  const [, script = '', line, column] =
    /^\s+at .*?((?:file:\/\/)?\/?[^\s()][^()]*?):(\d+):(\d+)\)?$/.exec(frame.replace(/ \[as [^\]]*\]/, '')) ?? []
  const file = fileOf(script.replace(/^async /, ''))
  return file === undefined ? undefined : { file, line: Number(line), text: `${file}:${line}:${column}` }
}

/** The plugin that was defined in the file, or else in the package, or else the only one in the nearest folder. */
function ownerOf({ file, line }: CodePlace, plugins: readonly object[]): any {
  const known = plugins.flatMap(plugin => {
    const origin = originOf(plugin)
    return origin ? [{ plugin, ...origin }] : []
  })
  const inFile = known.filter(each => each.file === file).sort((a, b) => a.line - b.line)
  // Where a file defines several plugins, the code of each follows its call of definePlugin.
  if (inFile.length > 0) return (inFile.findLast(each => each.line <= line) ?? inFile[0]!).plugin
  const folder = packageOf(file)
  if (folder !== undefined) return known.find(each => packageOf(each.file) === folder && !isOwn(folder))?.plugin
  const around = known.filter(each => packageOf(each.file) === undefined && file.startsWith(dirname(each.file) + sep))
  const nearest = Math.max(...around.map(each => dirname(each.file).length))
  const closest = new Set(around.filter(each => dirname(each.file).length === nearest).map(({ plugin }) => plugin))
  return closest.size === 1 ? [...closest][0] : undefined
}

const inPackage = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

/** The folder of the installed package that a file belongs to. */
function packageOf(file: string): string | undefined {
  return inPackage.exec(file)?.[0]
}

const own = packageOf(fileURLToPath(import.meta.url))

/** The plugins of this package share their code with the core, so only their own file tells. */
function isOwn(folder: string): boolean {
  return folder === own
}

function fileOf(script: string): string | undefined {
  if (script === '' || script.startsWith('node:')) return undefined
  try {
    return script.startsWith('file:') ? fileURLToPath(script) : script
  } catch {
    return undefined
  }
}

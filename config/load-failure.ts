import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The reason why the config at `path` could not be loaded: the message of the error, and its place in the config. */
export async function explain(error: unknown, path: string): Promise<string> {
  if (!(error instanceof Error)) return `It threw ${String(error)}`
  // For a syntax error in TypeScript, Node puts the place at the head of the stack.
  const [head = '', ...frames] = (error.stack ?? '').split(/\n\s+at /)
  const advice = await adviceFor(error, path)
  if (error instanceof SyntaxError) {
    const text = head.startsWith('SyntaxError') ? (syntaxProblem(path) ?? head) : head
    return `It cannot be loaded: ${text.trim().replaceAll('file://', '')}${advice}`
  }
  const place = frames.map(placeIn).find(each => each !== undefined)
  return `${error.message}${place === undefined ? '' : ` (${place})`}${advice}`
}

/** Where the syntax error in a JavaScript file is, with its line. Only Node's own check tells. */
function syntaxProblem(path: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8', env: {} })
  return /^[^]+?\nSyntaxError: .*/.exec(stderr)?.[0]
}

async function adviceFor(error: Error, path: string): Promise<string> {
  const { message } = error
  if (isCommonJs(error)) return renameAdvice
  const [, called] = /^(\w+) is not a function$/.exec(message) ?? []
  if (called !== undefined) return commonJsAdvice(called, path)
  if (message === 'defaults is not iterable') return '. Call it: ...defaults()'
  const [, from, name] = /^The requested module '(turnpike[^']*)' does not provide an export named '(\w+)'/.exec(message) ?? []
  if (from === undefined) return ''
  if (from.startsWith('turnpike/plugins/')) return `\nA plugin is the default export: import ${name} from '${from}'`
  const other = await moduleWith(name!)
  return other === undefined ? '' : `\nIt is in another module: import { ${name} } from '${other}'`
}

/** Node imports the exports of a CommonJS module as one object, whatever the module calls its default. */
function commonJsAdvice(name: string, path: string): string {
  const [, specifier] = new RegExp(String.raw`\bimport\s+${name}\s+from\s*['"]([^'"]+)['"]`).exec(readFileSync(path, 'utf8')) ?? []
  if (specifier === undefined) return ''
  try {
    const exported = createRequire(path)(specifier) as { readonly default?: unknown } | null
    if (typeof exported?.default !== 'function') return ''
    return `\n${specifier} is a CommonJS module that sets exports.default: call ${name}.default({ … }) instead`
  } catch {
    return ''
  }
}

/** The modules of the package that configs and plugins import from. */
const modules: Readonly<Record<string, () => Promise<object>>> = {
  turnpike: () => import('../core/index.ts'),
  'turnpike/kit': () => import('../core/kit.ts'),
  'turnpike/dialects': () => import('../dialects/index.ts'),
  'turnpike/stores': () => import('../core/stores.ts'),
  'turnpike/admin': () => import('../core/admin.ts'),
  'turnpike/config': () => import('./index.ts'),
}

async function moduleWith(name: string): Promise<string | undefined> {
  for (const [specifier, load] of Object.entries(modules)) if (name in (await load())) return specifier
  return undefined
}

/** True if Node loaded the module as CommonJS. With other loaders in the process, it reports that as a cycle. */
function isCommonJs({ message, code }: NodeJS.ErrnoException): boolean {
  return (
    message === 'Cannot use import statement outside a module' ||
    message === "Unexpected token 'export'" ||
    code === 'ERR_REQUIRE_CYCLE_MODULE'
  )
}

const renameAdvice = '\nIts package.json makes it CommonJS: rename the file to .mjs or .ts, or set "type": "module" in package.json.'

/** The place in a stack frame, if it is in a file of the operator. */
function placeIn(frame: string): string | undefined {
  const [, url, position] = /(file:\/\/[^)]*?)((?::\d+)+)\)?$/.exec(frame) ?? []
  // The published package has most of its code in chunks.
  const own = ['.', '../bin/', '../chunks/'].map(folder => new URL(folder, import.meta.url))
  if (url === undefined || url.includes('/node_modules/') || own.some(({ href }) => url.startsWith(href))) return undefined
  return `${fileURLToPath(url)}${position}`
}

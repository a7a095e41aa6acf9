import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const mark = 'turnpike-reload'
/** The code of the gateway itself. In the published package, most of it is in chunks. */
const own = ['../core/', '../plugins/', '../config/', '../chunks/', '../packages/'].map(folder => new URL(folder, import.meta.url).href)
let reloads = 0
/** As paths. */
const local = new Set<string>()

/**
 * The address to import a config from so that it is read anew, with all local files that it imports. Packages and the gateway's own code
 * stay as they are. Node.js keeps the old modules in memory.
 */
export function freshAddress(path: string): string {
  if (reloads++ === 0) passMarksOn()
  const { cache } = createRequire(import.meta.url)
  for (const file of Object.keys(cache)) if (isLocal(pathToFileURL(file).href)) delete cache[file]
  return marked(pathToFileURL(path).href, `${reloads}`)
}

/** The local files that were imported or added since `forgetLocalFiles`. Imported ones are known only once something is read anew. */
export function localFiles(): Iterable<string> {
  return local
}

/** Adds a file that is read without an import, such as a config in JSON. */
export function addLocalFile(path: string): void {
  local.add(path)
}

export function forgetLocalFiles(): void {
  local.clear()
}

/** Makes the imports of a fresh module fresh, too. */
function passMarksOn(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context)
      if (isLocal(found.url)) local.add(fileURLToPath(found.url))
      const from =
        context.parentURL !== undefined && URL.canParse(context.parentURL) ? new URL(context.parentURL).searchParams.get(mark) : null
      // CommonJS modules are known by their path, and those are forgotten above.
      if (from === null || !isLocal(found.url) || context.conditions.includes('require')) return found
      return { ...found, url: marked(found.url, from) }
    },
  })
}

function marked(url: string, value: string): string {
  const address = new URL(url)
  address.searchParams.set(mark, value)
  return address.href
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') && !fileURLToPath(url).includes('node_modules') && !own.some(folder => url.startsWith(folder))
}

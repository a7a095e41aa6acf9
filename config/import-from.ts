import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { freshAddress } from './fresh-modules.ts'

export interface ImportedModule {
  readonly url: string
  readonly exports: Readonly<Record<string, unknown>>
}

/** Imports a file or a package as the config at `path` would. Packages of its own `node_modules` come first. */
export async function importFrom(specifier: string, path: string, isFresh: boolean): Promise<ImportedModule> {
  // Own modules are found in this package, wherever the config is.
  const parentURL = specifier.startsWith('turnpike/') ? import.meta.url : isFresh ? freshAddress(path) : pathToFileURL(path).href
  let url = ''
  const hook = registerHooks({
    resolve(wanted, context, next) {
      if (wanted !== specifier || url !== '') return next(wanted, context)
      const found = next(wanted, { ...context, parentURL })
      ;({ url } = found)
      return found
    },
  })
  try {
    return { exports: (await import(specifier)) as Record<string, unknown>, url }
  } finally {
    hook.deregister()
  }
}

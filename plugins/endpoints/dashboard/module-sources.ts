import { stripTypeScriptTypes } from 'node:module'

/** The packages that the app imports, by the name that it imports them with, and where the browser finds them below `libraries/`. */
const libraries: Readonly<Record<string, { readonly file: string; readonly module: string }>> = {
  preact: { file: 'preact.js', module: 'preact' },
  'preact/hooks': { file: 'preact-hooks.js', module: 'preact/hooks' },
  htm: { file: 'htm.js', module: 'htm' },
  uplot: { file: 'uplot.js', module: 'uplot/dist/uPlot.esm.js' },
}
const imports = new RegExp(`(\\bfrom\\s*|\\bimport\\s*\\(?\\s*)(['"])(${Object.keys(libraries).join('|')})\\2`, 'g')

/** The lists of fields, which the server uses too. They import nothing but each other. */
const lists = /(['"])(?:\.\.\/)+core\/contracts\/((?:[a-z]+-)?fields)\.ts\1/g
const listsFolder = new URL('../../../core/contracts/', import.meta.url)

/** Modules of the repository as browsers can run them: without types, and with addresses in place of the names of packages. */
export class ModuleSources {
  /** The file of a package, or a list of fields. `path` starts with `libraries/`. */
  library(path: string): URL | undefined {
    const found = Object.values(libraries).find(({ file }) => path === `libraries/${file}`)
    if (found) return new URL(import.meta.resolve(found.module))
    const [, list] = /^libraries\/((?:[a-z]+-)?fields\.ts)$/.exec(path) ?? []
    return list === undefined ? undefined : new URL(list, listsFolder)
  }

  served(text: string, file: string, path: string): string {
    const code = file.endsWith('.ts') ? withoutTypes(text) : text
    const up = '../'.repeat(path.split('/').length - 1) || './'
    const known = code.replaceAll(lists, (_, quote, name) => `${quote}${up}libraries/${name}.ts${quote}`)
    return known.replaceAll(imports, (_, start, quote, name) => `${start}${quote}${up}libraries/${libraries[name]!.file}${quote}`)
  }
}

/** Leaves lines and columns as they are. */
function withoutTypes(text: string): string {
  const { emitWarning } = process
  // Node.js calls this function experimental. People who open the dashboard cannot do anything about that.
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}

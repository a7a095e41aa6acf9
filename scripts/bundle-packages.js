// Packages that few requests need get files of their own, which are loaded when they are used first. All bundles share them.

import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

export class PackageFiles {
  #root
  #pattern
  /** The module that each import stands for. */
  #modules = new Map()

  /** `pattern` matches the imports that stay out of other bundles. */
  constructor(root, pattern) {
    this.#root = root
    this.#pattern = pattern
  }

  /** The plugin of a bundle that leaves these packages out. */
  apart() {
    const files = this
    return {
      name: 'packages-apart',
      resolveId: {
        filter: { id: this.#pattern },
        async handler(name, importer) {
          await files.#resolve(name, importer, this)
          return { id: `package:${fileOf(name)}`, external: true }
        },
      },
      renderChunk(code, { fileName }) {
        if (!code.includes('"package:')) return null
        const place = posix.dirname(fileName)
        return { code: code.replaceAll(/"package:([^"]+)"/g, (_, file) => JSON.stringify(posix.relative(place, file))) }
      },
    }
  }

  /**
   * The plugin of a bundle that loads packages when one of their members is used first, although others import them at every start, for
   * what the gateway never asks of them: listhen makes certificates with node-forge and greets with consola, and cosmiconfig reads YAML
   * with js-yaml. `packages` has the named exports of each.
   */
  whenUsed(packages) {
    const files = this
    return {
      name: 'packages-when-used',
      resolveId: {
        filter: { id: new RegExp(`^(${Object.keys(packages).join('|')})$`) },
        async handler(name, importer) {
          await files.#resolve(name, importer, this)
          return { id: `\0when-used:${name}`, moduleSideEffects: false }
        },
      },
      load: {
        filter: { id: /^\0when-used:/ },
        handler(id) {
          const name = id.slice(id.indexOf(':') + 1)
          const named = packages[name].map(member => `export const ${member} = whenUsed(() => whole().${member})`)
          const code = `import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
let loaded
const whole = () => (loaded ??= createRequire(import.meta.url)(fileURLToPath(__addressOf(${JSON.stringify(fileOf(name))}))))
const whenUsed = of => new Proxy({}, { get: (_, member) => of()[member] })
export default whenUsed(() => whole().default)
${named.join('\n')}`
          return { code, moduleType: 'js' }
        },
      },
    }
  }

  /** Writes the files of all packages that bundles have left out. Returns the paths of the modules in them. */
  async write(folder) {
    const bundled = await rolldown({
      cwd: this.#root,
      input: Object.fromEntries(Array.from(this.#modules.keys(), name => [fileOf(name).slice(0, -'.js'.length), `\0package:${name}`])),
      platform: 'node',
      plugins: [
        {
          name: 'package-exports',
          resolveId: { filter: { id: /^\0package:/ }, handler: id => id },
          load: {
            filter: { id: /^\0package:/ },
            handler: async id => ({ code: await exportsOf(this.#modules.get(id.slice(id.indexOf(':') + 1))), moduleType: 'js' }),
          },
        },
      ],
    })
    const { output } = await bundled.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'packages/chunks/[name].js',
      minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    })
    return output.flatMap(({ moduleIds = [] }) => moduleIds)
  }

  async #resolve(name, importer, context) {
    if (this.#modules.has(name)) return
    const resolved = await context.resolve(name, importer, { kind: 'import-statement', skipSelf: true })
    if (!resolved || resolved.external) throw new Error(`expected a package ${name}, which ${importer} imports`)
    this.#modules.set(name, resolved.id)
  }
}

function fileOf(name) {
  return `packages/${name.replace(/\.[cm]?js$/, '')}.js`
}

/** Names each export: for the bundler, a CommonJS module has only a default one. */
async function exportsOf(path) {
  const names = Object.keys(await import(pathToFileURL(path).href)).filter(name => /^[\w$]+$/.test(name))
  return `export { ${names.join(', ')} } from ${JSON.stringify(path)}`
}

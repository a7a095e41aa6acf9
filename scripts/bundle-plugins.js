// Plugins of the bundler for what a bundle must do differently from the sources.

import { execFileSync } from 'node:child_process'
import { join, posix, relative, sep } from 'node:path'

/** The module of validators that the build compiled. */
export const validators = 'core/validation/precompiled'

/** Puts validators in place of the schemas that `core/validation/lazy-validator.ts` would compile at run time. */
export function compiledValidators(root) {
  return {
    name: 'compiled-validators',
    load: {
      filter: { id: join(root, `${validators}.ts`) },
      handler() {
        const program = ['--conditions=turnpike-source', join(root, 'scripts/build-validators.ts')]
        const code = execFileSync(process.execPath, program, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
        return { code, moduleType: 'js' }
      },
    },
  }
}

/** Leaves that module out of a bundle: it has a file for itself. */
export function validatorsApart(root) {
  return {
    name: 'validators-apart',
    resolveId: {
      filter: { id: /\/precompiled\.ts$/ },
      handler: () => ({ id: join(root, `${validators}.js`), external: 'relative' }),
    },
  }
}

/** `import.meta.url` stays the address of the module's own place in dist/, where the files beside it are: threads, the catalog. */
export function ownAddresses(root) {
  return {
    name: 'own-addresses',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: 'import.meta.url' },
      handler(code, id) {
        const place = relative(root, id).replaceAll(sep, '/').replace(/\.ts$/, '.js')
        return { code: code.replaceAll('import.meta.url', `__addressOf(${JSON.stringify(place)})`) }
      },
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('__addressOf(')) return null
      const address = (_, place) => `new URL("${posix.relative(posix.dirname(fileName), place)}", import.meta.url).href`
      return { code: code.replaceAll(/__addressOf\("([^"]+)"\)/g, address) }
    },
  }
}

/**
 * Bundles what a source loads as `require('./file.ts')`, and runs it when it is required. The sources make their `require` with
 * `createRequire`, which the bundler cannot look through. The file must do more than pass on what another one exports: the bundler would
 * run that one at every start.
 */
export function ownRequires() {
  const made = /^const require = createRequire\(import\.meta\.url\)$/m
  return {
    name: 'own-requires',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: made },
      handler: code => ({ code: code.replace(made, '') }),
    },
  }
}

/**
 * Takes Node's own modules as they are. An `import` would read all their members, and some load large parts of Node when they are read:
 * with `node:http` alone, a start would load Node's copy of undici, which takes 30 ms.
 */
export function builtinsWithoutFacades() {
  const statement = /^import (?:([\w$]+)|\* as ([\w$]+)|(?:([\w$]+), )?\{([^}]*)\}) from "(node:[\w/]+)";$/gm
  return {
    name: 'builtins-without-facades',
    renderChunk(code) {
      const taken = code.replaceAll(statement, (_, single, all, main, names, module) => {
        const members = names?.replaceAll(' as ', ': ').trim()
        const targets = [single ?? all ?? main, members && `{ ${members} }`].filter(Boolean)
        return targets.map(target => `const ${target} = globalThis.process.getBuiltinModule("${module}");`).join(' ')
      })
      return { code: taken }
    },
  }
}

/** V8 keeps a source with a character beyond Latin-1 in two bytes per character: with one ellipsis in it, a bundle takes twice the memory. */
export function asciiOnly() {
  const escaped = character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'ascii-only',
    // The last hook: the bundler prints a chunk once more after `renderChunk`.
    generateBundle(_, files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped)
    },
  }
}

/** Puts functions that `build-validators.ts` marked in parentheses. */
export function eagerFunctions() {
  return {
    name: 'eager-functions',
    generateBundle(_, files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = file.code.replaceAll('__eager(', '(')
    },
  }
}

import { registerHooks } from 'node:module'

// A TypeScript file next to a package.json of type commonjs, which `npm init` writes, could not hold an `import`, and every config has
// one. Imported for its effect: TypeScript files are ES modules whatever package.json says. Packages hold none.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return /^file:.*\.ts$/.test(found.url) && !found.url.includes('/node_modules/') ? { ...found, format: 'module-typescript' } : found
  },
})

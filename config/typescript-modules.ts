import { registerHooks } from 'node:module'

// Imported for its effect: TypeScript files are ES modules, whatever package.json says. Otherwise a config next to a package.json of type
// commonjs, which `npm init` writes, could not use `import`. Files under node_modules are not affected.
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    return /^file:[^?]*\.ts(\?|$)/.test(found.url) && !found.url.includes('/node_modules/')
      ? { ...found, format: 'module-typescript' }
      : found
  },
})

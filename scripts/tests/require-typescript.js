import Module from 'node:module'

// For `npx tap run`: its hook on require() (pirates 4.0.7) does not pass on the format of a file, so Node would run TypeScript as it stands.
const extensions = Module._extensions
for (const extension of ['.js', '.ts']) {
  const load = extensions[extension]
  if (!load) continue
  extensions[extension] = (module, file) => {
    if (file.endsWith('.ts')) module._compile = (code, name, format = 'module-typescript') => compile.call(module, code, name, format)
    load(module, file)
  }
}

const compile = Module.prototype._compile

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Wherever `turnpike` is imported from, it is this package, so that a config and its plugins share the running copy.
const own = import.meta.url
// The repository has sources. The installed package does not.
const conditions = existsSync(new URL('../config/main.ts', own)) ? ['turnpike-source'] : []

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'turnpike' && !specifier.startsWith('turnpike/')) return next(specifier, context)
    try {
      // For require(), Node ignores another parent and other conditions.
      if (context.conditions.includes('require')) return next(fileURLToPath(import.meta.resolve(specifier)), context)
      return next(specifier, { ...context, parentURL: own, conditions: [...context.conditions, ...conditions] })
    } catch (cause) {
      throw Object.assign(new Error(`The package turnpike has no ${specifier}`, { cause }), { code: cause.code })
    }
  },
})

import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'

// `turnpike` is this very package wherever it is imported from, so that a config and its plugins share the copy that runs them.
const own = import.meta.url
// In the repository that is its sources; a package that was installed has none.
const conditions = existsSync(new URL('../config/main.ts', own)) ? ['turnpike-source'] : []

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'turnpike' && !specifier.startsWith('turnpike/')) return next(specifier, context)
    try {
      return next(specifier, { ...context, parentURL: own, conditions: [...context.conditions, ...conditions] })
    } catch (cause) {
      throw Object.assign(new Error(`The package turnpike has no ${specifier}`, { cause }), { code: cause.code })
    }
  },
})

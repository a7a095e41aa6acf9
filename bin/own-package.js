import { registerHooks } from 'node:module'

// `turnpike` is this very package wherever it is imported from, so that a config and its plugins share the copy that runs them;
// in the repository, that is its sources.
const own = import.meta.url

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'turnpike' && !specifier.startsWith('turnpike/')) return next(specifier, context)
    try {
      return next(specifier, { ...context, parentURL: own, conditions: [...context.conditions, 'turnpike-source'] })
    } catch (cause) {
      throw Object.assign(new Error(`The package turnpike has no ${specifier}`, { cause }), { code: cause.code })
    }
  },
})

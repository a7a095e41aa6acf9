import { registerHooks } from 'node:module'

// A process of its own: it asks one surface after the other, and prints which files each request has loaded.

const loaded: string[] = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
const { defaults } = await import('../../config/defaults.ts')
const { testGateway } = await import('../../core/testing/test-gateway.ts')
const { default: localSealer } = await import('../../plugins/sealers/local/index.ts')

const told: { readonly asked: string | null; readonly loaded: readonly string[] }[] = []
const plugins = (await Promise.all(defaults({ without: ['ollama', 'sql', 'local-sealer', 'console-log'] }))).filter(use => use !== false)
const under = await testGateway({ plugins: [localSealer({ masterKey: 'ab'.repeat(32) }), ...plugins] })
told.push({ asked: null, loaded: loaded.slice() })
// Loaded only now, because the list of surfaces imports their plugins.
const { sandboxModel, surfaces, urlOf } = await import('../kit/surfaces.ts')
for (const surface of surfaces) {
  const model = sandboxModel(surface)
  const path = urlOf(surface, model)
  const { status } = await under.request(path, { body: surface.body(model) })
  if (status !== 200) throw new Error(`${path}: ${status}`)
  told.push({ asked: path, loaded: loaded.slice() })
}
await under.stop()
console.log(JSON.stringify(told))

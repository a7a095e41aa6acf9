import { Clock, definePlugin, type Registrar, type Token } from '../../core/index.ts'
import { isPending } from '../../core/kit.ts'
import { SavedWindows, storeServices } from '../../core/stores.ts'
import memory from '../../plugins/stores/memory/index.ts'
import { later } from './thenables.ts'

/** The functions of a metric store, which planning calls. */
const synchronous = new Set<unknown>(['record', 'window', 'latest'])

/** All stores in memory, whose answers are promises of another kind, and so are those of their holds. */
export const lateStores = definePlugin({
  name: 'late-stores',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { clock: Clock },
  provides: [...Object.values(storeServices), SavedWindows] as Token<any>[],
  async setup(registrar, _, needs) {
    const { plugin } = memory({})
    const inner: Registrar = {
      ...registrar,
      provides: () => true,
      provide: (service, implementation) => registrar.provide(service, late(implementation as object) as never),
    }
    await plugin.setup(inner, { maxResponses: 100, maxConversations: 100, maxRecords: 100 }, needs)
  },
})

/** Every function answers later, and so do the functions of its answers. */
export function late<T extends object>(target: T): T {
  return new Proxy(target, {
    get(of, name) {
      const member = Reflect.get(of, name) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        const answer = member.apply(of, args) as unknown
        return synchronous.has(name) ? answer : later(promised(answer))
      }
    },
  })
}

/** Waits for a promise of the store itself; a hold is late, too. */
function promised(answer: unknown): unknown {
  if (isPending(answer)) return answer.then(promised)
  const isHold = typeof answer === 'object' && answer !== null && 'settle' in answer
  return isHold ? late(answer) : answer
}

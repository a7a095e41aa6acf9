import { policyFields, type PolicyLayer, type PolicySource } from '../../../../core/contracts/policy.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { shadow } from '../shadow.ts'
import { begin, follow, watchedHere, type Watching } from './watching.ts'

export function watchedPolicySource(source: PolicySource, watching: Watching): PolicySource {
  return shadow(source, {
    policy(key) {
      const watched = watchedHere(watching, 'policy source', source.level)
      if (!watched) return source.policy(key)
      const step = begin(watched, 'policy')
      step.fact('key', key.id)
      return follow<PolicyLayer | undefined>(
        watched,
        step,
        () => source.policy(key),
        layer => {
          if (!isObject(layer)) return step.end('left')
          for (const field of policyFields) {
            const setting = layer[field]
            if (setting) step.fact(field, `${setting.value ? 'on' : 'off'}${setting.enforced ? '' : ', not enforced: without effect'}`)
          }
        },
      )
    },
  })
}

import type { Hipaa, Zdr } from './catalog.ts'
import type { Policy } from './policy.ts'

/**
 * Where the content that a plugin sees goes. `local`: it stays inside the gateway and its sealed store. Otherwise the plugin sends it
 * elsewhere, under these agreements.
 */
export type Sight = 'local' | { readonly zdr: Zdr | false; readonly hipaa: Hipaa | false }

/** The policy field that forbids showing content to a plugin with this sight. Undefined if it may see the content. */
export function blindedBy(sight: Sight | undefined, { zdr, hipaa }: Policy): 'zdr' | 'hipaa' | undefined {
  if (sight === 'local') return undefined
  if (zdr.value && !sight?.zdr) return 'zdr'
  if (hipaa.value && !sight?.hipaa) return 'hipaa'
  return undefined
}

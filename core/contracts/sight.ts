import type { Hipaa, Zdr } from './catalog.ts'
import { usesFeature, type Feature } from './feature.ts'
import type { Policy } from './policy.ts'
import type { GenerationRequest } from './request.ts'
import type { RetrievalKind } from './retrieval.ts'

/**
 * Where the content that a plugin sees goes. `local`: it stays inside the gateway and its sealed store. Otherwise the plugin sends it
 * elsewhere, under these agreements.
 */
export type Sight =
  | 'local'
  | {
      /** The agreement on zero data retention. False: none. */
      readonly zdr: Zdr | false
      /** The agreement under HIPAA. False: none. */
      readonly hipaa: Hipaa | false
    }

/** The policy field that forbids showing content to a plugin with this sight. Undefined if it may see the content. */
export function blindedBy(sight: Sight | undefined, { zdr, hipaa }: Policy): 'zdr' | 'hipaa' | undefined {
  if (sight === 'local') return undefined
  if (zdr.value && !sight?.zdr) return 'zdr'
  if (hipaa.value && !sight?.hipaa) return 'hipaa'
  return undefined
}

/** The features that the agreements of a plugin exclude, of those that the policy requires. */
export function excludedFeatures(sight: Sight | undefined, { zdr, hipaa }: Policy): readonly Feature[] {
  if (sight === 'local' || sight === undefined) return []
  return [...((zdr.value && sight.zdr && sight.zdr.excludes) || []), ...((hipaa.value && sight.hipaa && sight.hipaa.excludes) || [])]
}

/** True if the policy lets a plugin with this sight see the content of this request. */
export function maySee(sight: Sight | undefined, policy: Policy, request: GenerationRequest): boolean {
  return !blindedBy(sight, policy) && !excludedFeatures(sight, policy).some(feature => usesFeature(request, feature))
}

/** True if the agreements that the policy requires name this kind of call. */
export function coversKind(sight: Sight | undefined, { zdr, hipaa }: Policy, kind: RetrievalKind): boolean {
  if (sight === 'local') return true
  const agreements = [zdr.value && sight?.zdr, hipaa.value && sight?.hipaa]
  return [zdr.value, hipaa.value].every((isOn, index) => !isOn || isCovered(agreements[index], kind))
}

/** True if the certificate covers calls of this kind. Absent: generations. */
export function isCovered(
  certificate: { readonly covers?: readonly RetrievalKind[] | undefined } | false | undefined,
  kind: RetrievalKind,
): boolean {
  return (certificate || undefined)?.covers?.includes(kind) ?? false
}

import { features, usesFeature } from '../contracts/feature.ts'
import type { Policy } from '../contracts/policy.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'

/**
 * Throws a 422 if a later round of a request uses a feature that its first round did not, such as an image that a tool returned, and the
 * caller's policy asks for agreements: they were checked for the features of the first round.
 */
export function refuseNewFeatures(later: GenerationRequest, first: GenerationRequest, { zdr, hipaa }: Policy): void {
  if (!zdr.value && !hipaa.value) return
  const added = features.find(feature => usesFeature(later, feature) && !usesFeature(first, feature))
  if (added === undefined) return
  const policy = zdr.value ? 'Zero data retention' : 'HIPAA mode'
  throw policyRefusal(
    wording`${own(policy)} is on for this API key. A tool or a guardrail added ${own(added.replaceAll('_', ' '))} to the request while it was answered, and the agreements were not checked for that. Send it with the first request, or use another API key.`,
    zdr.value ? zdr.source : hipaa.source,
  )
}

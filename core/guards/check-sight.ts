import { usesFeature } from '../contracts/feature.ts'
import type { Policy } from '../contracts/policy.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { blindedBy, excludedFeatures, type Sight } from '../contracts/sight.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'

const remedies = {
  guardrail: 'Use another API key.',
  tool: 'Leave it out, or use another API key.',
  'MCP server': 'Leave it out, or use another API key.',
} as const

/**
 * Zero data retention and HIPAA apply to everything that sees content: docs/protocol/keys-and-policy.md#policy-fields. Throws a 422. Without
 * a request, checks only that there are agreements.
 */
export function checkSight(kind: keyof typeof remedies, name: string, sight: Sight, policy: Policy, request?: GenerationRequest): void {
  const field = blindedBy(sight, policy)
  if (field)
    throw policyRefusal(
      wording`The ${own(kind)} "${own(name)}" sees content and has no ${own(field === 'zdr' ? 'zero-data-retention policy' : 'HIPAA agreement')}. ${own(remedies[kind])}`,
      policy[field].source,
    )
  const excluded = request && excludedFeatures(sight, policy).find(feature => usesFeature(request, feature))
  if (excluded)
    throw policyRefusal(
      wording`The ${own(kind)} "${own(name)}" sees content, and its agreement excludes ${own(excluded.replaceAll('_', ' '))}, which the request uses. ${own(remedies[kind])}`,
      policy.zdr.value ? policy.zdr.source : policy.hipaa.source,
    )
}

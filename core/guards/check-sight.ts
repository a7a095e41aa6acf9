import { usesFeature } from '../contracts/feature.ts'
import type { Policy } from '../contracts/policy.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { blindedBy, excludedFeatures, type Sight } from '../contracts/sight.ts'
import { policyRefusal } from '../foundation/errors.ts'

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
      `The ${kind} "${name}" sees content and has no ${field === 'zdr' ? 'zero-data-retention policy' : 'HIPAA agreement'}. ${remedies[kind]}`,
    )
  const excluded = request && excludedFeatures(sight, policy).find(feature => usesFeature(request, feature))
  if (excluded)
    throw policyRefusal(
      `The ${kind} "${name}" sees content, and its agreement excludes ${excluded.replaceAll('_', ' ')}, which the request uses. ${remedies[kind]}`,
    )
}

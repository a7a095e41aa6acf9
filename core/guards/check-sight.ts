import type { Policy } from '../contracts/policy.ts'
import { blindedBy, type Sight } from '../contracts/sight.ts'
import { policyRefusal } from '../foundation/errors.ts'

const remedies = { guardrail: 'Use another API key.', tool: 'Leave it out, or use another API key.' } as const

/** Zero data retention and HIPAA apply to everything that sees content: docs/protocol/keys-and-policy.md#policy-fields. Throws a 422. */
export function checkSight(kind: keyof typeof remedies, name: string, sight: Sight, policy: Policy): void {
  const field = blindedBy(sight, policy)
  if (!field) return
  const missing = field === 'zdr' ? 'zero-data-retention policy' : 'HIPAA agreement'
  throw policyRefusal(`The ${kind} "${name}" sees content and has no ${missing}. ${remedies[kind]}`)
}

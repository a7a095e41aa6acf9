import type { Policy } from '../../../core/contracts/policy.ts'

/**
 * The reason why content of a request is not kept, not even in memory, or undefined if it may be: whoever has turned one of these on, or
 * logging off, was promised that nobody reads along. Without a policy, nobody knows.
 */
export function contentProblem(policy: Policy | undefined): string | undefined {
  if (!policy) return 'The policy of the request is not known yet.'
  const on = (['zdr', 'hipaa', 'redaction'] as const).filter(field => policy[field]?.value !== false)
  if (on.length > 0) return `The policy of its key has ${on.join(', ')} on.`
  return policy.logging?.value === true ? undefined : 'The policy of its key has logging off.'
}

import type { FailureKind } from '../contracts/provider.ts'

/** OpenAI sends this with a 429, Groq with a 413: the request alone needs more tokens than the account gets in a minute. */
const wording = /request (?:is )?too large|tokens must be reduced|reduce your (?:message|prompt|request|input) size/i

/**
 * A rate limit that a single request exceeds alone is kind `context-length`: waiting does not help, smaller requests still pass, and
 * another endpoint may take it.
 */
export function unlessOversized(kind: FailureKind, message: string | undefined): FailureKind {
  return kind === 'rate-limit' && message !== undefined && wording.test(message) ? 'context-length' : kind
}

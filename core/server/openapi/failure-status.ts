import type { RouteDescription } from '../../contracts/route.ts'

/** For routes that reply with another status than 424 when every endpoint failed. */
export function describeFailureStatus(description: RouteDescription, status: number): RouteDescription {
  const { 424: failed, ...replies } = description.replies
  if (!failed || status === 424) return description
  const other = replies[status]
  const both = other ? { ...other, description: `${failed.description} Or: ${other.description}` } : failed
  return { ...description, replies: { ...replies, [status]: both } }
}

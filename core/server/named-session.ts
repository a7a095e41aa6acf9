import { isObject, parseJson } from '../foundation/json.ts'

/** The members of a body that may name a session, in this order. */
export interface NamingBody {
  /** A text. */
  readonly session_id?: unknown
  /** A text, or an object with an `id`. */
  readonly conversation?: unknown
  /** An object with `session_id`, or with the `user_id` of Claude Code. */
  readonly metadata?: unknown
}

/** A longer `user_id` is not read. */
const maxUserIdLength = 2_048

/** The session that a body names: docs/sessions.md#names. Most bodies name none. */
export function namedSession({ session_id: id, conversation, metadata }: NamingBody): string | undefined {
  if (id === undefined && conversation === undefined && metadata === undefined) return undefined
  const { session_id: ofMetadata, user_id: user } = isObject(metadata) ? metadata : nothing
  return name(id) ?? name(isObject(conversation) ? conversation['id'] : conversation) ?? name(ofMetadata) ?? name(ofUser(user))
}

const nothing: { readonly session_id?: unknown; readonly user_id?: unknown } = {}

function name(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The session in the `user_id` of Claude Code: JSON or, in older versions, `user_…_account_…_session_…`. */
function ofUser(user: unknown): unknown {
  if (typeof user !== 'string' || user.length > maxUserIdLength) return undefined
  if (!user.startsWith('{')) return /^user_.*_session_([\w-]+)$/.exec(user)?.[1]
  const told = parseJson(user)
  return isObject(told) ? told['session_id'] : undefined
}

import type { Reply } from '../../../core/index.ts'

export function jsonReply(body: object, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

import type { Reply } from '../../../core/index.ts'
import type { StreamBody } from '../../../core/kit.ts'

export function jsonReply(body: object, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

export function streamReply(body: StreamBody, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers }, body }
}

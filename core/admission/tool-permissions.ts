import type { ApiKey } from '../contracts/key-store.ts'
import { GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { testOf } from './permissions.ts'

type Test = (name: string) => boolean

const tests = new WeakMap<ApiKey, Test>()

/** Throws a 403 if a key may use nothing of a tool that the gateway runs. */
export function checkTool(key: ApiKey, type: string, path: string): void {
  const { tools } = key
  if (!tools || mayUseTool(key, [type]) || tools.some(name => name.startsWith(`${type}/`))) return
  const message = wording`This API key may not use the tool "${own(type)}". It may use: ${own(tools.join(', ') || 'none')}.`
  const reason = { kind: 'permission', level: 'key' } as const
  throw new GatewayError({ status: 403, type: 'permission_error', code: 'tool_not_allowed', message, param: path, reason })
}

/** True if a key may use a part of a tool that the gateway runs. Who may use a tool, or a part of it, may use all parts of that. */
export function mayUseTool(key: ApiKey, parts: readonly string[]): boolean {
  if (!key.tools) return true
  let test = tests.get(key)
  if (!test) tests.set(key, (test = testOf(key.tools)))
  return parts.some((_, index) => test(parts.slice(0, index + 1).join('/')))
}

import type { Reply } from '../contracts/route.ts'

/** The statuses with which HTTP forbids a body. */
const hasNoBody: ReadonlySet<number> = new Set([204, 205, 304])

/** Plugins may be plain JavaScript. Returns what is wrong with a reply, without its content, or undefined. `bodies`: what the body may be. */
export function replyFault(reply: unknown, stream: object | undefined, bodies: string): string | undefined {
  if (typeof reply !== 'object' || reply === null) return `expected an object with a status, got ${kindOf(reply)}`
  const { status, headers, body } = reply as Partial<Record<keyof Reply, unknown>>
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return `expected a status from 200 to 599, got ${typeof status === 'number' ? status : kindOf(status)}`
  if (headers !== undefined && (typeof headers !== 'object' || headers === null))
    return `expected headers to be an object of strings, got ${kindOf(headers)}`
  if (body === undefined || body === '' || body === stream) return undefined
  if (typeof body === 'string') return hasNoBody.has(status as number) ? 'expected no body with a status that has none' : undefined
  return `expected the body to be ${bodies}, got ${kindOf(body)}`
}

function kindOf(value: unknown): string {
  return value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
}

const types = new Set(['invalid_request_error', 'not_found_error', 'permission_error', 'rate_limit_error'])

/** Throws unless this is a refusal of the contract: a typed 4xx whose `param`, if any, is a place of the request. */
export function checkRefusal(status: number, text: string, body: string): void {
  if (status < 400 || status > 499) throw new Error(`the status is ${status}: ${text}`)
  const { error, ...rest } = JSON.parse(text) as { error: Record<string, unknown> }
  if (Object.keys(rest).length > 0 || typeof error !== 'object') throw new Error(`the body is no error: ${text}`)
  const { type, message, param, code } = error
  if (!types.has(type as string)) throw new Error(`the type is ${String(type)}: ${text}`)
  if (typeof message !== 'string' || message === '' || typeof code !== 'string' || code === '')
    throw new Error(`something is missing: ${text}`)
  if (param !== null && !isPlace(JSON.parse(body), String(param))) throw new Error(`there is no ${String(param)} in the request: ${text}`)
}

/** A place that is there, or one that is missing in a place that is there. Texts that stand for lists of parts end the way. */
function isPlace(root: unknown, path: string): boolean {
  let value = root
  const keys = path.match(/[^.[\]]+|\[\d+\]/g) ?? []
  for (const [index, key] of keys.entries()) {
    if (typeof value === 'string') return true
    if (typeof value !== 'object' || value === null) return false
    const last = index === keys.length - 1
    if (key.startsWith('[')) {
      const at = Number(key.slice(1, -1))
      if (!Array.isArray(value) || at >= value.length) return false
      value = value[at]
    } else {
      if (Array.isArray(value)) return false
      if (!Object.hasOwn(value, key)) return last
      value = (value as Record<string, unknown>)[key]
    }
  }
  return keys.length > 0
}

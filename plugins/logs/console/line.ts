import type { RequestRecord } from '../../../core/index.ts'

/** The whole record but for content, as one JSON object. */
export function jsonLine({ request: _request, response: _response, ...metadata }: RequestRecord): string {
  return JSON.stringify(metadata)
}

/** What a person at a terminal wants to see: time, status, what was asked of whom, what it took, the id. */
export function textLine(record: RequestRecord): string {
  const { at, status, method, path, provider, model, usage, costUsd, elapsedMs, errorCode, id } = record
  const parts = [
    new Date(at).toISOString(),
    status,
    method,
    path,
    provider !== null && `${provider}/${model}`,
    usage && `${usage.uncachedInput + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h}+${usage.output} tokens`,
    costUsd !== null && `$${costUsd.toFixed(6)}`,
    `${Math.round(elapsedMs)} ms`,
    errorCode,
    id,
  ]
  return printable(parts.filter(part => part !== false && part !== null).join(' '))
}

/** Callers choose paths and model names: none may start a line of its own or steer the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '?')
}

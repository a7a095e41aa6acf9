import type { Summary, Text } from './inspected.ts'

export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms).toLocaleString('en')} ms`
}

export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

/** With indents, if it is JSON. */
export function readable({ text, isCut }: Text): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  } catch {
    return isCut ? `${text}…` : text
  }
}

/** Everything that is known of a request, without content. */
export function factsOf(request: Omit<Summary, 'steps'>): readonly (readonly [name: string, value: string])[] {
  const { provider, model, elapsedMs, firstEventMs, inputTokens, outputTokens, costUsd, attempts, keyId, errorCode } = request
  const known: readonly (readonly [string, string | undefined])[] = [
    ['request', request.method && `${request.method} ${request.path}`],
    ['status', request.status === undefined ? 'running' : String(request.status)],
    ['error', errorCode ?? undefined],
    ['model', model ? `${provider}/${model}` : undefined],
    ['time', elapsedMs === undefined ? undefined : milliseconds(elapsedMs)],
    ['first event', firstEventMs === null || firstEventMs === undefined ? undefined : `after ${milliseconds(firstEventMs)}`],
    ['tokens', inputTokens === undefined || inputTokens === null ? undefined : `${inputTokens} in, ${outputTokens ?? 0} out`],
    ['cost', costUsd === undefined || costUsd === null ? undefined : `$${costUsd.toFixed(6)}`],
    ['attempts', attempts === undefined ? undefined : String(attempts)],
    ['key', keyId ?? undefined],
  ]
  return known.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}

import type { RequestRecord } from '../../core/index.ts'
import type { Paint } from './paint.ts'
import { timeOf } from './readable-log.ts'

/** One request for people: status, method, path, model with its provider, times, tokens, cost, id. A second line says why it failed. */
export function requestLine(record: RequestRecord, paint: Paint): string {
  const { at, status, method, path, provider, model, elapsedMs, firstEventMs, inputTokens, outputTokens, costUsd, attempts, id } = record
  const color = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const parts = [
    timeOf(at + elapsedMs),
    paint.apply(color, String(status).padEnd(5)),
    `${method} ${path}`,
    ...(model === null ? [] : [paint.apply('cyan', provider === null ? model : `${provider}/${model}`)]),
    `${Math.round(elapsedMs)} ms${firstEventMs === null ? '' : ` (first event after ${Math.round(firstEventMs)} ms)`}`,
    ...(attempts.length > 1 ? [`${attempts.length} attempts`] : []),
    ...(inputTokens === null && outputTokens === null ? [] : [`${inputTokens ?? 0} tokens in, ${outputTokens ?? 0} out`]),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(6)}`]),
    paint.apply('dim', id),
  ]
  return `${parts.join('  ')}\n${failureLine(record, paint)}`
}

function failureLine({ errorCode, errorMessage, errorParam }: RequestRecord, paint: Paint): string {
  if (errorCode === null) return ''
  const told = [errorCode, ...(errorParam === null ? [] : [`(${errorParam})`]), ...(errorMessage === null ? [] : [errorMessage])].join(' ')
  return `${' '.repeat(17)}${paint.apply('yellow', told)}\n`
}

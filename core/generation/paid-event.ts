import type { Allowance } from '../limits/allowance.ts'
import type { RaisedEvent } from './raised-event.ts'

/** The part of an event that is not paid for yet. */
export type UnpaidEvent = RaisedEvent & { readonly text: string }

export interface PaidEvent {
  /** Absent if no part of the event is paid for. */
  readonly paid?: RaisedEvent | undefined
  readonly rest?: UnpaidEvent | undefined
}

/** Takes as much of an event as the allowance covers. Wait for `Allowance.more` before the rest. */
export function payFor(event: RaisedEvent, allowance: Pick<Allowance, 'take' | 'reported'>): PaidEvent {
  if (event.type === 'usage') allowance.reported(event.usage.output)
  if (!('text' in event)) return { paid: event }
  const { text } = event
  const length = allowance.take(text)
  if (length === text.length) return { paid: event }
  if (length === 0) return { rest: event }
  const rest = { ...event, text: text.slice(length), ...(event.type === 'reasoning' && { newPart: false }) }
  return { paid: { ...event, text: text.slice(0, length) }, rest }
}

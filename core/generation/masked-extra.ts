import { withoutAccountIds } from '../call/attempts/account-ids.ts'
import type { ExtraEvent } from '../contracts/events.ts'
import type { Masks } from '../foundation/masks.ts'
import type { JsonObject } from '../foundation/json.ts'

/**
 * Members of a vendor's reply without the operator's secrets, and without the names of its accounts. Those of items are content, and lists
 * and objects may quote pages, so they only lose secrets.
 */
export function maskedExtra(event: ExtraEvent, masks: Masks): ExtraEvent {
  if (event.at === 'item') return event
  const text = JSON.stringify(event.fields)
  const safe = masks.apply(text)
  const fields = safe === text ? event.fields : (JSON.parse(safe) as JsonObject)
  let masked: Record<string, unknown> | undefined
  for (const name in fields) {
    const value = fields[name]
    if (typeof value !== 'string') continue
    const told = withoutAccountIds(value)
    if (told !== value) (masked ??= { ...fields })[name] = told
  }
  return masked || fields !== event.fields ? { ...event, fields: masked ?? fields } : event
}

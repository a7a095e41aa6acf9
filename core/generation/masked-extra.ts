import { withoutAccountIds } from '../call/attempts/account-ids.ts'
import type { ExtraEvent } from '../contracts/events.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import type { Masks } from '../foundation/masks.ts'

/** Shorter texts hold neither a secret nor the id of an account. */
const shortest = 6

/**
 * Members of a vendor's reply without the operator's secrets, and without the names of its accounts. Those of items are content, and lists
 * and objects may quote pages, so they only lose secrets.
 */
export function maskedExtra(event: ExtraEvent, masks: Masks): ExtraEvent {
  if (event.at === 'item') return event
  const fields = masked(event.fields, text => withoutAccountIds(masks.apply(text)), masks)
  return fields === event.fields ? event : { ...event, fields: fields as JsonObject }
}

/** `mask`: for the texts directly in the value. Returns the value itself if nothing changes. */
function masked(value: unknown, mask: (text: string) => string, masks: Masks): unknown {
  if (typeof value === 'string') return value.length < shortest ? value : mask(value)
  const inside = (each: unknown): unknown => masked(each, typeof each === 'string' ? mask : text => masks.apply(text), masks)
  if (Array.isArray(value)) {
    const texts = value.map(each => masked(each, text => masks.apply(text), masks))
    return texts.some((each, index) => each !== value[index]) ? texts : value
  }
  if (!isObject(value)) return value
  let changed: Record<string, unknown> | undefined
  for (const name in value) {
    const told = inside(value[name])
    if (told !== value[name]) (changed ??= { ...value })[name] = told
  }
  return changed ?? value
}

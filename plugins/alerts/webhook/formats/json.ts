import type { Notice } from '../notice.ts'

/** Standard Webhooks asks for less than 20 kB. */
const maxCharacters = 16_000

/** The gateway's own format: docs/alerts.md describes it. */
export function jsonBody({ type, at, data }: Notice): object {
  const body = { type, timestamp: new Date(at).toISOString(), data }
  return JSON.stringify(body).length <= maxCharacters ? body : { ...body, data: { ...data, facts: {} } }
}

import { handleCors, type Middleware } from 'h3'
import type { Cors } from '../framework/settings.ts'

/**
 * Lets pages of these origins call the gateway from a browser. Preflights are answered before any route, so they need no key.
 * Keys travel in a header and never in cookies: credentials stay forbidden, and pages may therefore read every header of an answer.
 */
export function cors({ origins, maxAgeSeconds }: Cors): Middleware {
  const options = { origin: origins.includes('*') ? ('*' as const) : [...origins], maxAge: String(maxAgeSeconds) }
  return event => handleCors(event, options) || undefined
}

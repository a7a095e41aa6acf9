import { handleCors, type Middleware } from 'h3'
import type { Cors } from '../framework/settings.ts'

/**
 * Lets pages of these origins call the gateway from a browser. Preflights are answered before any route, so they need no key.
 * Keys travel in a header, never in cookies. Credentials therefore stay forbidden, and pages may read every response header.
 */
export function cors({ origins, maxAgeSeconds }: Cors): Middleware {
  const options = { origin: origins.includes('*') ? ('*' as const) : [...origins], maxAge: String(maxAgeSeconds) }
  return event => handleCors(event, options) || undefined
}

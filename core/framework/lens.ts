import type { HttpClient } from '../contracts/http-client.ts'

/**
 * Looks at what plugins do, for the inspector of `turnpike dev`. It is asked while plugins are set up, and never again: a gateway without one
 * pays nothing for it, not even a check. No config can name one; only a program that makes the gateway can pass it.
 */
export interface Lens {
  /**
   * Returns what stands in the place of a contribution, which was found well-formed and must still behave as it. `kind` is the word of its
   * extension point in errors, such as `guardrail`.
   */
  contribution<T>(kind: string, contribution: T, plugin: string): T
  /** Returns the client for the plugin's requests to others. */
  http(http: HttpClient, plugin: string): HttpClient
}

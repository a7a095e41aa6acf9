/** What every client is asked to do. */
export const checks = [
  'text',
  'stream',
  'tools',
  'structured',
  'images',
  'errors',
  'retries',
  'abort',
  'embeddings',
  'rerank',
  'decisions',
  'handoffs',
  'sessions',
  'conversations',
  'compaction',
  'mcp',
  'websocket',
] as const
export type Check = (typeof checks)[number]

/** A line that a client's program prints. */
export interface Report {
  readonly check: Check
  /** Neither, if the check passed. */
  readonly failure?: string
  /** Why the client does not do this. */
  readonly absent?: string
}

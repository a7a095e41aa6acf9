import type { PassedOver } from '../../core/kit.ts'

/** Why an endpoint was not asked, in a few words. */
export const passedOver: Readonly<Record<PassedOver, string>> = {
  tools: 'takes no tools',
  images: 'takes no images',
  files: 'takes no files',
  'structured-output': 'another endpoint has structured output',
  'web-search': 'another endpoint has web search',
  'context-management': 'another endpoint has context management',
  dialect: 'its API lacks a member of the request',
  compaction: 'another endpoint made the compaction in the conversation',
  permission: 'the key does not allow it',
  policy: 'a policy excludes it',
  'context-window': 'the input is too long',
  'attempt-limit': 'enough others failed before it',
  credit: 'the credit does not cover it',
  circuit: 'its circuit is open',
  provider: 'another endpoint of its provider failed',
  queue: 'its queue is full',
}

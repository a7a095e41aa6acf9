import type { FinishReason } from '../../../core/index.ts'

export const reasons: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'SAFETY',
  'tool-calls': 'STOP',
  pause: 'OTHER',
}

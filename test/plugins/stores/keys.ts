import type { ApiKey } from '../../../core/index.ts'

export const leanKey: ApiKey = {
  id: 'lean',
  hash: 'aGFzaA',
  name: 'Lean',
  org: 'example',
  policy: {},
  createdAt: 1_767_225_600_000,
}

export const fullKey: ApiKey = {
  id: 'full',
  hash: 'aGFzaDI',
  name: 'Full “naïve” 🔑',
  org: 'example',
  team: 'research',
  user: 'ada',
  policy: { zdr: { value: true, enforced: false }, redaction: { value: true, enforced: true, settings: { detectors: ['email'] } } },
  models: ['example/one', 'two'],
  providers: [],
  spendCapUsd: 0.1,
  allowUnpriced: false,
  tokensPerMinute: 100_000,
  disabled: true,
  createdAt: 1_767_225_600_001,
}

import { messagesProvider } from '../../../dialects/index.ts'
import { claude } from './models.ts'

/** Anthropic, and every host that speaks its Messages dialect. Give each its own `id` and `baseUrl`. */
export default messagesProvider({
  name: 'anthropic',
  id: 'anthropic',
  source: 'https://platform.claude.com/docs/en/api/messages',
  baseUrl: 'https://api.anthropic.com',
  keyVariable: 'ANTHROPIC_API_KEY',
  traits: claude,
  options: {
    version: { type: 'string', minLength: 1, default: '2023-06-01', description: 'The `anthropic-version` header.' },
    beta: { type: 'array', items: { type: 'string', minLength: 1 }, description: 'Values of the `anthropic-beta` header.' },
    defaultMaxTokens: {
      type: 'integer',
      minimum: 1,
      description:
        'The output limit if neither the caller nor the catalog sets one, because the API requires one. Default: 32000 for Claude 4 and later, the maximum for older Claude models, 8192 for others.',
    },
  },
  departures: ({ version, beta: betas, defaultMaxTokens }) => ({ version, betas, defaultMaxTokens }),
})

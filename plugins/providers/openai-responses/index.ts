import { responsesProvider } from '../../../dialects/index.ts'
import { searching } from './searching.ts'

const vendorUrl = 'https://api.openai.com/v1'

/** OpenAI, and every host that speaks its Responses dialect, such as xAI and OpenRouter. Give each its own `id` and `baseUrl`. */
export default responsesProvider({
  name: 'openai-responses',
  id: 'openai',
  source: 'https://platform.openai.com/docs/api-reference/responses',
  baseUrl: vendorUrl,
  keyVariable: 'OPENAI_API_KEY',
  search: searching,
  options: {
    reasoningState: {
      type: 'boolean',
      default: true,
      description: 'Requests encrypted reasoning, which keeps thoughts from turn to turn although the vendor stores nothing.',
    },
    contextManagement: {
      type: 'boolean',
      description:
        'The host compacts conversations by itself: it knows `context_management` and `compaction_trigger`. Default: true for the address of OpenAI, false for any other.',
    },
    obfuscation: {
      type: 'boolean',
      description: '`false` tells the vendor not to pad stream events. Not sent by default, because only OpenAI supports it.',
    },
  },
  departures: ({ baseUrl, reasoningState, contextManagement = baseUrl === vendorUrl, obfuscation }) => ({
    reasoningState,
    contextManagement,
    obfuscation,
  }),
})

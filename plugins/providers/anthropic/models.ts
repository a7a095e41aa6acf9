import type { NamedEndpoint } from '../../../core/kit.ts'
import type { MessagesHost, MessagesTraits } from '../../../dialects/index.ts'
import { traitsOf } from '../../../dialects/messages/traits.ts'

const upToMax = ['low', 'medium', 'high', 'max'] as const
const allEfforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const

const early: MessagesTraits = {
  thinking: 'none',
  thinksUnasked: false,
  efforts: [],
  sampling: 'both',
  forcedTools: true,
  systemTurns: false,
  structuredOutput: false,
  search: false,
  maxTokens: 4096,
}
const budgeted: MessagesTraits = { ...early, thinking: 'budget', search: true, maxTokens: 32_000 }
const claude45: MessagesTraits = { ...budgeted, sampling: 'one', structuredOutput: true }
const claude46: MessagesTraits = { ...claude45, thinking: 'adaptive', efforts: upToMax }
const opus47: MessagesTraits = { ...claude46, efforts: allEfforts, sampling: 'none' }
const opus48: MessagesTraits = { ...opus47, systemTurns: true }
const sonnet5: MessagesTraits = { ...opus47, thinksUnasked: true, thinkingOff: 'disabled' }
const opus5: MessagesTraits = { ...sonnet5, systemTurns: true }
const alwaysThinking: MessagesTraits = { ...opus48, thinksUnasked: true }
const claude55: MessagesTraits = { ...alwaysThinking, forcedTools: false }

/**
 * By model name, first match wins. Sources: platform.claude.com, "Thinking", "Effort", "Structured outputs",
 * "Mid-conversation system messages", and the migration guides of each model.
 */
export const claude: NonNullable<MessagesHost['traits']> = [
  [/claude-(instant|v?[12]|3-(opus|sonnet|haiku))/, early],
  [/claude-3[-.]5-sonnet.*20240620/, { ...early, maxTokens: 8192 }],
  [/claude-3[-.]5/, { ...early, search: true, maxTokens: 8192 }],
  [/claude-3[-.]7/, budgeted],
  [/claude-(opus|sonnet)-4([-.@]0)?(?![-.]\d(?!\d))/, budgeted],
  [/claude-opus-4[-.]1/, { ...budgeted, sampling: 'one' }],
  [/claude-opus-4[-.]5/, { ...claude45, efforts: ['low', 'medium', 'high'] }],
  [/claude-(sonnet|haiku)-4[-.]5/, claude45],
  [/claude-(opus|sonnet)-4[-.]6/, claude46],
  [/claude-opus-4[-.]7/, opus47],
  [/claude-opus-4[-.]8/, opus48],
  [/claude-haiku-5[-.]5/, { ...opus5, efforts: allEfforts }],
  [/claude-sonnet-5[-.]5/, { ...claude55, thinkingOff: 'between_tools' }],
  [/claude-opus-5(?![-.]\d(?!\d))/, opus5],
  [/claude-sonnet-5(?![-.]\d(?!\d))/, sonnet5],
  [/claude-mythos-preview/, { ...alwaysThinking, efforts: upToMax, systemTurns: false }],
  [/claude-(fable|mythos)-5(?![-.]\d(?!\d))/, alwaysThinking],
  // Newer than this table: assume what the newest models have in common.
  [/claude/, claude55],
]

/** For platforms where Claude has other names, and another wire. */
export function claudeTraitsOf(endpoint: Pick<NamedEndpoint, 'model' | 'upstreamModel'>): MessagesTraits {
  return traitsOf(endpoint, { traits: claude })
}

import { wireOf, type Wire } from '../oracle/oracle.ts'
import type { Recording } from '../../../kit/recordings.ts'

/** Vendors with their own plugin. All others belong to the plugin of their wire. */
const pluginsByVendor = {
  'azure-anthropic': 'azure',
  'azure-openai-chat': 'azure',
  'azure-openai-responses': 'azure',
  mistral: 'mistral',
  'vertex-anthropic': 'vertex',
  'vertex-gemini': 'vertex',
} as const

const pluginsByWire = {
  'openai-chat': 'openai-chat',
  'openai-responses': 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'gemini',
  cohere: 'cohere',
  ollama: 'ollama',
  'bedrock-converse': 'bedrock',
  'bedrock-invoke': 'bedrock',
} as const satisfies Readonly<Record<Wire, string>>

export type PluginName = (typeof pluginsByWire)[Wire] | (typeof pluginsByVendor)[keyof typeof pluginsByVendor]

export const pluginNames: readonly PluginName[] = [...new Set([...Object.values(pluginsByWire), ...Object.values(pluginsByVendor)])]

/** The plugin through which a recording is replayed, in the test of its name; undefined where the wire is unknown. */
export function pluginOf({ api, vendor }: Recording): PluginName | undefined {
  const wire = wireOf(api)
  return (pluginsByVendor as Readonly<Record<string, PluginName>>)[vendor] ?? (wire && pluginsByWire[wire])
}

/** Recordings that are not replayed, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'bedrock-invoke/013-misc-stream-anthropic-claude-instant-v1':
    'a text completion, a dialect of models that came before messages: the gateway has no such request',
}

import type { PluginUse } from '../../core/index.ts'
import anthropic from '../../plugins/providers/anthropic/index.ts'
import { hosts, type HostName } from '../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../plugins/providers/openai-responses/index.ts'
import { wireOf, type Wire } from '../plugins/providers/oracle/oracle.ts'

const apiKey = 'sk-demo-1'

type Use = (id: string, baseUrl: string, vendor: string) => PluginUse

/** The plugin that speaks a wire, as the provider `id` of a vendor. */
export const pluginOf = {
  'openai-chat': (id, baseUrl, vendor) => openaiChat({ id, baseUrl, apiKey, host: hostOf(vendor) }),
  anthropic: (id, baseUrl) => anthropic({ id, baseUrl, apiKey }),
  'openai-responses': (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey }),
} satisfies Partial<Record<Wire, Use>>

/** The wire of a recording's `api`, where there is a plugin for it. */
export function clientWire(api: string): keyof typeof pluginOf | undefined {
  const wire = wireOf(api)
  return wire && wire in pluginOf ? (wire as keyof typeof pluginOf) : undefined
}

function hostOf(vendor: string): HostName {
  if (vendor === 'openai-chat') return 'openai'
  return vendor in hosts ? (vendor as HostName) : 'compatible'
}

import type { PluginUse } from '../../../core/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import azure from '../../../plugins/providers/azure/index.ts'
import bedrock from '../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../plugins/providers/cohere/index.ts'
import gemini from '../../../plugins/providers/gemini/index.ts'
import mistral from '../../../plugins/providers/mistral/index.ts'
import ollama from '../../../plugins/providers/ollama/index.ts'
import { hosts, type HostName } from '../../../plugins/providers/openai-chat/hosts.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../plugins/providers/openai-responses/index.ts'
import vertex from '../../../plugins/providers/vertex/index.ts'
import { FakeGoogle } from '../../kit/fake-google.ts'
import type { Recording } from '../../kit/recordings.ts'
import { wireOf, type Wire } from '../../plugins/providers/oracle/oracle.ts'
import { pluginOf, type PluginName } from '../../plugins/providers/recordings/selection.ts'

const apiKey = 'sk-demo-replay'
const aws = { credentials: { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: apiKey }, region: 'us-east-1' }

/** Vendors whose name is not that of their host. */
const hostOf: Readonly<Record<string, HostName>> = {
  'anthropic-openai-compat': 'anthropic-compat',
  'bedrock-openai-chat': 'bedrock-compat',
  'cohere-openai-compat': 'cohere-compat',
  'gemini-openai-compat': 'gemini-compat',
  'ollama-openai-compat': 'ollama',
  'openai-chat': 'openai',
  'vercel-gateway': 'vercel',
}

/** The plugin for the vendor of a recording, as the provider `id`. */
export class Vendors {
  readonly #google: FakeGoogle

  private constructor(google: FakeGoogle) {
    this.#google = google
  }

  static async start(): Promise<Vendors> {
    return new Vendors(await FakeGoogle.start())
  }

  use(id: string, baseUrl: string, recording: Recording): PluginUse {
    return this.#uses[pluginOf(recording)!](id, baseUrl, recording)
  }

  readonly #uses: Readonly<Record<PluginName, (id: string, baseUrl: string, recording: Recording) => PluginUse>> = {
    anthropic: (id, baseUrl) => anthropic({ id, baseUrl, apiKey }),
    azure: (id, baseUrl, { api }) => {
      if (api === 'messages') return azure({ id, baseUrl, apiKey, api: 'anthropic' })
      if (api === 'chat') return azure({ id, baseUrl, apiKey, api })
      return azure({ id, baseUrl, apiKey, api: 'responses', apiVersion: '2025-04-01-preview' })
    },
    bedrock: (id, baseUrl, { api }) =>
      bedrock({ ...aws, id, baseUrl, ...(api === 'invoke' && { invoke: { 'openai.*': 'openai-chat', '*': 'anthropic' } }) }),
    cohere: (id, baseUrl) => cohere({ id, baseUrl, apiKey }),
    gemini: (id, baseUrl) => gemini({ id, baseUrl, apiKey }),
    mistral: (id, baseUrl) => mistral({ id, baseUrl, apiKey }),
    ollama: (id, baseUrl) => ollama({ id, baseUrl, listModels: false }),
    'openai-chat': (id, baseUrl, { vendor }) =>
      openaiChat({ id, baseUrl, apiKey, host: hostOf[vendor] ?? (vendor in hosts ? (vendor as HostName) : 'compatible') }),
    'openai-responses': (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey }),
    vertex: (id, baseUrl) =>
      vertex({
        id,
        baseUrl,
        credentials: { json: JSON.stringify(this.#google.serviceAccount) },
        tokenUrl: `${this.#google.url}/token`,
      }),
  }
}

/** The wire in which the vendor of a recording speaks to the gateway. */
export function wireIn({ api, model }: Recording): Wire | undefined {
  if (api === 'invoke') return /openai/.test(model) ? 'openai-chat' : 'anthropic'
  return wireOf(api)
}

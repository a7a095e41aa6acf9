import type { PluginUse } from '../../../../core/index.ts'
import type { Timeouts } from '../../../../core/kit.ts'
import aiSdk from '../../../../plugins/providers/ai-sdk/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import azure from '../../../../plugins/providers/azure/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import mistral from '../../../../plugins/providers/mistral/index.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import type { FakeGoogle } from '../../../kit/fake-google.ts'
import * as answers from './answers.ts'
import type { VendorAnswer } from './answers.ts'

/** The options that every provider takes, by the same names. */
export interface Common {
  readonly id: string
  readonly baseUrl: string
  readonly timeouts?: Partial<Timeouts>
}

/** A plugin as one provider that speaks one dialect. */
export interface ProviderUnderTest {
  readonly name: string
  readonly model: string
  readonly plugin: (common: Common) => PluginUse
  readonly answer: VendorAnswer
  /** A third-party package reads the replies. It does not report the parts of a stream that it does not understand. */
  readonly bridged?: true
}

export const secret = 'sk-demo-every-provider'

/** Every provider plugin, those of several dialects once for each. */
export function everyProvider(google: FakeGoogle): readonly ProviderUnderTest[] {
  const credentials = { json: JSON.stringify(google.serviceAccount) }
  const onVertex = (common: Common): PluginUse => vertex({ ...common, credentials, tokenUrl: `${google.url}/token` })
  const apiKey = secret
  const access = { accessKeyId: 'AKIADEMOEVERY', secretAccessKey: secret }
  return [
    { name: 'openai-responses', model: 'demo', plugin: common => openaiResponses({ ...common, apiKey }), answer: answers.responses },
    {
      name: 'openai-chat',
      model: 'demo',
      plugin: common => openaiChat({ ...common, apiKey, host: 'compatible' }),
      answer: answers.chat,
    },
    { name: 'mistral', model: 'demo', plugin: common => mistral({ ...common, apiKey }), answer: answers.chat },
    { name: 'azure-responses', model: 'demo', plugin: common => azure({ ...common, apiKey, api: 'responses' }), answer: answers.responses },
    { name: 'azure-chat', model: 'demo', plugin: common => azure({ ...common, apiKey, api: 'chat' }), answer: answers.chat },
    { name: 'azure-token', model: 'demo', plugin: common => azure({ ...common, token: secret, api: 'chat' }), answer: answers.chat },
    { name: 'azure-anthropic', model: 'demo', plugin: common => azure({ ...common, apiKey, api: 'anthropic' }), answer: answers.messages },
    { name: 'anthropic', model: 'demo', plugin: common => anthropic({ ...common, apiKey }), answer: answers.messages },
    { name: 'gemini', model: 'gemini-demo', plugin: common => gemini({ ...common, apiKey }), answer: answers.gemini },
    { name: 'vertex-gemini', model: 'gemini-demo', plugin: onVertex, answer: answers.gemini },
    { name: 'vertex-anthropic', model: 'claude-demo', plugin: onVertex, answer: answers.messages },
    {
      name: 'bedrock',
      model: 'demo',
      plugin: common => bedrock({ ...common, credentials: access, region: 'us-east-1' }),
      answer: answers.converse,
    },
    { name: 'cohere', model: 'demo', plugin: common => cohere({ ...common, apiKey }), answer: answers.cohere },
    { name: 'ollama', model: 'demo', plugin: common => ollama({ ...common, apiKey, listModels: false }), answer: answers.ollama },
    {
      name: 'ai-sdk',
      model: 'demo',
      plugin: common => aiSdk({ ...common, apiKey, package: '@ai-sdk/openai', method: 'chat' }),
      answer: answers.chat,
      bridged: true,
    },
  ]
}

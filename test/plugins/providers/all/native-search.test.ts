import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import azure from '../../../../plugins/providers/azure/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import mistral from '../../../../plugins/providers/mistral/index.ts'
import openaiChat from '../../../../plugins/providers/openai-chat/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import { unlistedEndpoint } from '../../../../core/routing/provider-capabilities.ts'
import { UndiciClient } from '../../../../core/upstream/http-client.ts'
import { providerOf } from '../../../kit/provider-of.ts'

const apiKey = 'sk-demo-search'
const login = { type: 'authorized_user', client_id: 'demo', client_secret: 'demo-secret', refresh_token: 'demo-token' }
/** For each provider: models with and without native search, as their vendors document it. */
const table: readonly (readonly [name: string, plugin: PluginUse, searching: readonly string[], without: readonly string[]])[] = [
  [
    'OpenAI',
    openaiResponses({ apiKey }),
    [
      'gpt-4o',
      'gpt-4o-2024-08-06',
      'gpt-4o-mini',
      'gpt-4.1',
      'gpt-4.1-mini-2025-04-14',
      'gpt-5',
      'gpt-5-mini',
      'gpt-5.2',
      'o3',
      'o3-pro',
      'o4-mini',
    ],
    [
      'gpt-4.1-nano',
      'gpt-4-turbo',
      'gpt-3.5-turbo',
      'o1',
      'o3-mini',
      'gpt-4o-audio-preview',
      'gpt-4o-search-preview',
      'gpt-image-1',
      'gpt-5-codex',
    ],
  ],
  [
    'xAI',
    openaiResponses({ id: 'xai', apiKey, baseUrl: 'https://api.x.example/v1' }),
    ['grok-4', 'grok-4-fast-reasoning'],
    ['grok-3', 'grok-2-image'],
  ],
  ['xAI through Chat Completions', openaiChat({ host: 'xai', apiKey }), [], ['grok-4', 'grok-3']],
  [
    'Azure',
    azure({ apiKey, resource: 'demo', deployments: { 'gpt-5': { api: 'chat' }, 'gpt-4.1': 'my-deployment' } }),
    ['gpt-4.1', 'gpt-4o', 'claude-sonnet-4-5'],
    ['gpt-5', 'gpt-4-turbo', 'Llama-3.3-70B-Instruct'],
  ],
  [
    'Anthropic',
    anthropic({ apiKey }),
    ['claude-3-7-sonnet-20250219', 'claude-3-5-haiku-latest', 'claude-sonnet-4-5', 'claude-opus-4-1', 'claude-sonnet-5'],
    ['claude-3-opus-20240229', 'claude-3-5-sonnet-20240620', 'claude-3-haiku-20240307', 'glm-4.7'],
  ],
  [
    'Gemini',
    gemini({ apiKey }),
    ['gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-3-pro-preview', 'gemini-3.5-flash'],
    ['gemini-1.5-pro', 'gemini-2.0-flash-lite', 'gemini-2.5-flash-image', 'gemma-3-27b-it', 'gemini-2.5-flash-preview-tts'],
  ],
  [
    'Vertex AI',
    vertex({ project: 'demo', location: 'global', credentials: { json: JSON.stringify(login) } }),
    ['gemini-2.5-flash', 'claude-sonnet-4-5@20250929'],
    ['gemini-1.5-pro', 'claude-3-opus@20240229'],
  ],
  ['Perplexity', openaiChat({ host: 'perplexity', apiKey }), ['sonar', 'sonar-pro', 'sonar-deep-research'], ['r1-1776']],
  [
    'Groq',
    openaiChat({ host: 'groq', apiKey }),
    ['groq/compound', 'groq/compound-mini', 'compound-beta'],
    ['llama-3.3-70b-versatile', 'openai/gpt-oss-120b'],
  ],
  ['OpenRouter', openaiChat({ host: 'openrouter', apiKey }), ['openai/gpt-5.2', 'deepseek/deepseek-chat'], []],
  [
    'OpenAI through Chat Completions',
    openaiChat({ apiKey }),
    ['gpt-4o-search-preview', 'gpt-4o-mini-search-preview-2025-03-11'],
    ['gpt-4o', 'gpt-5'],
  ],
  [
    'Amazon Bedrock',
    bedrock({ apiKey, region: 'us-east-1' }),
    ['us.amazon.nova-premier-v1:0', 'amazon.nova-2-lite-v1:0'],
    ['amazon.nova-lite-v1:0', 'anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ],
  ['Mistral', mistral({ apiKey }), [], ['mistral-large-latest', 'mistral-medium-latest']],
  ['Cohere', cohere({ apiKey }), [], ['command-a-03-2025']],
]

for (const [name, plugin, searching, without] of table) {
  t.test(name, async t => {
    const http = new UndiciClient()
    t.teardown(() => http.close())
    const provider = await providerOf(plugin, http)
    const capabilitiesOf = (model: string) => unlistedEndpoint(provider, model).capabilities
    for (const model of searching) t.equal(capabilitiesOf(model).webSearch, true, model)
    for (const model of without) t.not(capabilitiesOf(model).webSearch, true, model)
    const isAlone = name === 'Gemini' || name === 'Vertex AI'
    for (const model of searching.filter(each => each.startsWith('gemini'))) t.equal(capabilitiesOf(model).searchAlone, isAlone, model)
    for (const model of searching.filter(each => !each.startsWith('gemini'))) t.notOk(capabilitiesOf(model).searchAlone, model)
  })
}

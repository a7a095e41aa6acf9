import azure from '../../plugins/providers/azure/index.ts'
import { replay } from './replay.ts'

const options = { apiKey: 'demo-azure-key' } as const

replay('openai-chat', (id, baseUrl, vendor) =>
  vendor === 'azure-openai-chat' ? azure({ ...options, id, baseUrl, api: 'chat' }) : undefined,
)

replay('openai-responses', (id, baseUrl, vendor) =>
  vendor === 'azure-openai-responses' ? azure({ ...options, id, baseUrl, api: 'responses', apiVersion: '2025-04-01-preview' }) : undefined,
)

replay('anthropic', (id, baseUrl, vendor) =>
  vendor === 'azure-anthropic' ? azure({ ...options, id, baseUrl, api: 'anthropic' }) : undefined,
)

import azure from '../../../../plugins/providers/azure/index.ts'
import { replay } from './replay.ts'

replay('azure', (id, baseUrl, { api }) => {
  const options = { id, baseUrl, apiKey: 'demo-azure-key' }
  if (api === 'messages') return azure({ ...options, api: 'anthropic' })
  return azure(api === 'chat' ? { ...options, api: 'chat' } : { ...options, api: 'responses', apiVersion: '2025-04-01-preview' })
})

import mistral from '../../plugins/providers/mistral/index.ts'
import { replay } from './replay.ts'

replay('openai-chat', (id, baseUrl, vendor) => (vendor === 'mistral' ? mistral({ id, baseUrl, apiKey: 'sk-demo-replay' }) : undefined))

import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import { replay } from './replay.ts'

const options = { credentials: { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: 'sk-demo-replay' }, region: 'us-east-1' }

replay('bedrock', (id, baseUrl, { api }) =>
  bedrock({ ...options, id, baseUrl, ...(api === 'invoke' && { invoke: { 'openai.*': 'openai-chat', '*': 'anthropic' } }) }),
)

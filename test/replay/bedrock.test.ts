import bedrock from '../../plugins/providers/bedrock/index.ts'
import { replay } from './replay.ts'

const credentials = { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: 'sk-demo-replay' }

replay('bedrock-converse', (id, baseUrl) => bedrock({ id, baseUrl, credentials, region: 'us-east-1' }))

replay(
  'bedrock-invoke',
  (id, baseUrl) => bedrock({ id, baseUrl, credentials, region: 'us-east-1', invoke: { 'openai.*': 'openai-chat', '*': 'anthropic' } }),
  {
    'bedrock-invoke/013-misc-stream-anthropic-claude-instant-v1':
      'a text completion, a dialect of models that came before messages: the gateway has no such request',
  },
)

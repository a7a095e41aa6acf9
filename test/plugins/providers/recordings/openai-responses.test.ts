import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import { replay } from './replay.ts'

replay('openai-responses', (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey: 'sk-demo-replay' }))

import cohere from '../../../../plugins/providers/cohere/index.ts'
import { replay } from './replay.ts'

replay('cohere', (id, baseUrl) => cohere({ id, baseUrl, apiKey: 'sk-demo-replay' }))

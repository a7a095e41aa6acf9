import mistral from '../../../../plugins/providers/mistral/index.ts'
import { replay } from './replay.ts'

replay('mistral', (id, baseUrl) => mistral({ id, baseUrl, apiKey: 'sk-demo-replay' }))

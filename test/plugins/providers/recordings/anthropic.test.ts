import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import { replay } from './replay.ts'

replay('anthropic', (id, baseUrl) => anthropic({ id, baseUrl, apiKey: 'sk-demo-replay' }))

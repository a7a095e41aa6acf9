import gemini from '../../../../plugins/providers/gemini/index.ts'
import { replay } from './replay.ts'

replay('gemini', (id, baseUrl) => gemini({ id, baseUrl, apiKey: 'sk-demo-replay' }))

import ollama from '../../../../plugins/providers/ollama/index.ts'
import { replay } from './replay.ts'

replay('ollama', (id, baseUrl) => ollama({ id, baseUrl, listModels: false }))

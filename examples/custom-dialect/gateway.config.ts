import { defaults, defineConfig, env, optionalEnv } from 'turnpike/config'
import globex from './globex.ts'

const baseUrl = optionalEnv('GLOBEX_URL')

export default defineConfig({
  plugins: [...defaults(), globex({ apiKey: env('GLOBEX_API_KEY'), ...(baseUrl !== undefined && { baseUrl }) })],
})

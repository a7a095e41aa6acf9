import { defaults, defineConfig, env, optionalEnv } from 'turnpike/config'
import acme from './acme.ts'

const baseUrl = optionalEnv('ACME_URL')

export default defineConfig({
  plugins: [...defaults(), acme({ apiKey: env('ACME_API_KEY'), ...(baseUrl !== undefined && { baseUrl }) })],
})

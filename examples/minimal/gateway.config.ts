// The smallest gateway: one provider, one endpoint, everything in memory. To run it in the repository:
// `OPENAI_API_KEY=… npx turnpike start --config examples/minimal/gateway.config.ts`

import { defineConfig, env } from 'turnpike/config'
import responses from 'turnpike/plugins/endpoints/responses'
import openai from 'turnpike/plugins/providers/openai-responses'
import localSealer from 'turnpike/plugins/sealers/local'
import memory from 'turnpike/plugins/stores/memory'

export default defineConfig({
  plugins: [memory({}), localSealer({}), responses({}), openai({ apiKey: env('OPENAI_API_KEY') })],
})

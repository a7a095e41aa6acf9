import { defaults, defineConfig } from 'turnpike/config'

export default defineConfig({
  plugins: [
    // What most gateways need, and every provider whose API key is in the environment or in .env.
    ...defaults(),
  ],
})

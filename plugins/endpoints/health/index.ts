import { definePlugin, Routes } from '../../../core/index.ts'
import { errorReply, Health } from '../../../core/kit.ts'

/**
 * `GET /v1/responses/health`: unauthenticated, 200 with an empty body, or 503 while API keys cannot be looked up and before the gateway stops
 * (docs/protocol/http.md#health).
 */
export default definePlugin({
  name: 'health',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { health: Health },
  setup(gateway, _, { health }) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/responses/health',
      auth: 'none',
      surface: null,
      async handle() {
        const refusal = await health.check()
        return refusal ? errorReply(refusal) : { status: 200, headers: { 'content-type': 'application/json' } }
      },
      describe: () => ({
        summary: 'Check whether the gateway is up',
        replies: {
          200: { description: 'It is up. The body is empty.' },
          503: { description: 'API keys cannot be looked up, or the gateway is about to stop.' },
        },
      }),
    })
  },
})

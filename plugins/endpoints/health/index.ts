import { definePlugin, GatewayError, Routes } from '../../../core/index.ts'
import { KeyStore } from '../../../core/stores.ts'

/** `GET /v1/responses/health`: unauthenticated, 200 with an empty body, or 503 while API keys cannot be looked up (docs/protocol/http.md#health). */
export default definePlugin({
  name: 'health',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { keys: KeyStore },
  setup(gateway, _, { keys }) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/responses/health',
      auth: 'none',
      surface: null,
      async handle() {
        if ((await keys.available?.()) === false) throw unavailable()
        return { status: 200, headers: { 'content-type': 'application/json' } }
      },
      describe: () => ({
        summary: 'Check whether the gateway is up',
        replies: { 200: { description: 'It is up. The body is empty.' }, 503: { description: 'API keys cannot be looked up.' } },
      }),
    })
  },
})

function unavailable(): GatewayError {
  const message = 'API keys cannot be looked up, because the database does not answer. Check the database.'
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message })
}

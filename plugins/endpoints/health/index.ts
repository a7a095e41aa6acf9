import { definePlugin, Routes } from '../../../core/index.ts'

/** `GET /v1/responses/health`: unauthenticated, 200 with an empty body (docs/protocol/http.md#health). */
export default definePlugin({
  name: 'health',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/responses/health',
      auth: 'none',
      handle: () => ({ status: 200, headers: { 'content-type': 'application/json' } }),
      describe: () => ({ summary: 'Check whether the gateway is up', replies: { 200: { description: 'It is up. The body is empty.' } } }),
    })
  },
})

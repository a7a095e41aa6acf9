// GET /v1/whoami tells callers which key they use.

import { definePlugin, Routes } from 'turnpike'

export default definePlugin({
  name: 'acme-whoami',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/whoami',
      auth: 'key',
      handle: ({ caller }) => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: caller.key.name, org: caller.key.org }),
      }),
    })
  },
})

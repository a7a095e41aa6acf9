// GET /admin/v1/busy tells operators how much work is in progress.

import { definePlugin } from 'turnpike'
import { AdminRoutes } from 'turnpike/admin'

export default definePlugin({
  name: 'acme-busy',
  contracts: { AdminRoutes: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(AdminRoutes, {
      method: 'GET',
      path: '/admin/v1/busy',
      role: 'viewer',
      // The load is that of all organizations.
      reach: 'all',
      async handle(_exchange, services) {
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(await services.load()) }
      },
      describe: () => ({
        summary: 'The work in progress',
        replies: { 200: { description: 'The load of all processes.', content: { 'application/json': { type: 'object' } } } },
      }),
    })
  },
})

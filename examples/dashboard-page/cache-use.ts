// Adds a page to the dashboard: how much of the input of each model came from prompt caches.

import { definePlugin } from 'turnpike'
import { DashboardPages } from 'turnpike/admin'

export default definePlugin({
  name: 'acme-cache-use',
  contracts: { DashboardPages: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(DashboardPages, { id: 'cache-use', title: 'Cache use', module: new URL('page.js', import.meta.url) })
  },
})

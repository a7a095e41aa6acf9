// Writes alerts to the log of the system that runs the gateway.

import { definePlugin } from 'turnpike'
import { AlertChannels } from 'turnpike/admin'

export default definePlugin({
  name: 'acme-alerts',
  contracts: { AlertChannels: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(AlertChannels, {
      name: 'acme-alerts',
      async deliver({ id, severity, title, message }) {
        gateway.log.warn(title, { alert: id, severity, about: message })
      },
    })
  },
})

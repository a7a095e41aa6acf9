// Turns request logging off for some organizations, whatever their keys say.

import { definePlugin, PolicySources } from 'turnpike'

export default definePlugin({
  name: 'acme-policy',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['unlogged'],
    properties: { unlogged: { type: 'array', items: { type: 'string' }, description: 'Organizations whose content is never stored.' } },
  },
  setup(gateway, { unlogged }) {
    gateway.add(PolicySources, {
      level: 'org',
      policy: key => (unlogged.includes(key.org) ? { logging: { value: false, enforced: true } } : undefined),
    })
  },
})

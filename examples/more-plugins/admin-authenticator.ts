// Lets people into the admin API whom a proxy has signed in. The proxy sets `x-acme-user`, and proves with a secret that it is the proxy.

import { createHash, timingSafeEqual } from 'node:crypto'
import { definePlugin } from 'turnpike'
import { AdminAuthenticators } from 'turnpike/admin'

export default definePlugin({
  name: 'acme-sign-in',
  contracts: { AdminAuthenticators: 1 },
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['secret', 'admins'],
    properties: {
      secret: { type: 'string', minLength: 16, writeOnly: true, description: 'The header `x-acme-secret` of the proxy.' },
      admins: { type: 'array', items: { type: 'string' }, description: 'The people who may see everything.' },
    },
  },
  setup(gateway, { secret, admins }) {
    gateway.add(AdminAuthenticators, {
      name: 'acme-sign-in',
      admit({ headers }) {
        const user = headers.get('x-acme-user')
        const isProxy = timingSafeEqual(digest(headers.get('x-acme-secret') ?? ''), digest(secret))
        if (!isProxy || user === null || !admins.includes(user)) return undefined
        return { id: user, role: 'viewer', org: undefined }
      },
    })
  },
})

/** Digests have the same length, whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

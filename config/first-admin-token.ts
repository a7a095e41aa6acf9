import type { Gateway } from '../core/gateway.ts'
import type { AdminListener } from './listen-admin.ts'

/** Creates the first admin token, and returns text that says how to use it. Undefined if there is a token. */
export async function firstAdminToken({ admin }: Gateway, { url }: AdminListener): Promise<string | undefined> {
  if (!admin || !(await admin.isEmpty())) return undefined
  const token = await admin.issueToken({ name: 'first', role: 'owner' })
  return `Your admin token, shown only once. Only its hash is kept. Create more with: turnpike admin-tokens create

  ${token}

The admin API is at ${url}/admin/v1: accounts, keys, records and usage.
`
}

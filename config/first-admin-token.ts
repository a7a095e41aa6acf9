import type { Gateway } from '../core/gateway.ts'
import type { AdminListener } from './listen-admin.ts'

/** Creates the first admin token, unless there is one, and returns text that explains how to use it. */
export async function firstAdminToken(gateway: Gateway, { url }: AdminListener): Promise<string | undefined> {
  const { admin } = gateway
  if (!admin || !(await admin.isEmpty())) return undefined
  const token = await admin.issueToken({ name: 'first', role: 'owner' })
  const link = hasDashboard(gateway)
    ? `
Sign in to the dashboard with it, or with this link. The link works once, within 15 minutes:

  ${url}/?sign-in=${await admin.issueLink(token)}
`
    : ''
  return `Your admin token, shown only once. Only its hash is kept. Create more with: npx turnpike admin-tokens create

  ${token}
${link}
The admin API is at ${url}/admin/v1: accounts, keys, records and usage.
`
}

/** True if a plugin serves pages on the listener of the admin API. */
export function hasDashboard({ contributions }: Gateway): boolean {
  return contributions.some(({ point, name }) => point === 'admin route' && name === 'GET /')
}

import { setTimeout } from 'node:timers/promises'

// The admin API of gateways that run as processes of their own.

export const adminToken = 'demo-admin-token-of-at-least-32-characters'

export type Admin = (method: string, path: string, body?: object) => Promise<any>

export function adminOf(url: string): Admin {
  return async (method, path, body) => {
    const reply = await fetch(`${url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}

/** All records of the requests, which are written a moment after the answers. */
export async function recordsOf(admin: Admin, org: string, count: number): Promise<readonly { readonly cost_usd: number | null }[]> {
  for (;;) {
    const records = []
    let cursor = ''
    do {
      const page = await admin('GET', `/records?org=${org}&limit=100${cursor && `&cursor=${cursor}`}`)
      records.push(...page.data)
      cursor = page.next_cursor
    } while (cursor)
    if (records.length >= count) return records
    await setTimeout(50)
  }
}

/** Sums of fractions drift. */
export function nano(usd: number): number {
  return Math.round(usd * 1e9)
}

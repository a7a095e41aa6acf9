import type { Inspected, Listed } from './inspected.ts'

/** The secret of the run: browsers send this part of an address to nobody. */
const secret = location.hash.slice(1)

/** Throws an `Error` whose message is for people. */
async function ask(path: string, method = 'GET'): Promise<unknown> {
  let reply: Response
  try {
    reply = await fetch(path, { method, headers: { authorization: `Bearer ${secret}` }, cache: 'no-store' })
  } catch {
    throw new Error('turnpike dev does not answer. Is it still running?')
  }
  if (reply.ok || reply.status === 404) return await reply.json()
  throw new Error(await reply.text())
}

export async function listed(): Promise<Listed> {
  return (await ask('api/requests')) as Listed
}

/** Undefined if newer requests have replaced it. */
export async function inspected(id: string): Promise<Inspected | undefined> {
  const answer = (await ask(`api/requests/${encodeURIComponent(id)}`)) as Inspected | { readonly error: string }
  return 'error' in answer ? undefined : answer
}

export async function clear(): Promise<void> {
  await ask('api/requests', 'DELETE')
}

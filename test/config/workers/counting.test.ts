import { readFileSync } from 'node:fs'
import t from 'tap'
import { config, Workplace, type TurnpikeProcess } from '../../kit/turnpike-process.ts'

const adminToken = 'demo-admin-token-of-counting-workers'
const options = { skip: process.platform !== 'linux' && 'reads /proc' }

interface Admin {
  (method: string, path: string, body?: object): Promise<any>
}

function adminOf(url: string): Admin {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/admin/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return await reply.json()
  }
}

/** The process in which workers count together. */
function ownerOf({ pid }: TurnpikeProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  return children.find(child => readFileSync(`/proc/${child}/cmdline`, 'utf8').startsWith('turnpike owner'))
}

t.test('two workers count as one, also after the process that counts was killed', options, async t => {
  const workplace = new Workplace(config('workers: 2, admin: { port: 0 }'))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'], [], { GATEWAY_ADMIN_TOKEN: adminToken })
  t.teardown(() => gateway.signal('SIGKILL'))
  const url = await gateway.url()
  const admin = adminOf((await gateway.says(/admin API is on (http:\S+)/))[1]!)
  await admin('POST', '/orgs', { id: 'acme', name: 'Acme' })
  const limits = [{ requests: 40, window_s: 600, exact: true }]
  const { key } = await admin('POST', '/keys', { name: 'limited', org: 'acme', limits })
  const statuses = new Map<number, number>()
  const ask = async (): Promise<number> => {
    // A connection of its own, so that both workers get some.
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' }
    const body = JSON.stringify({ model: 'sandbox/echo', input: 'Hello' })
    const { status } = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    return status
  }
  // While a worker waits too long for the answer, as on a busy machine, it refuses with 503.
  while ((statuses.get(200) ?? 0) < 20) await Promise.all([ask(), ask(), ask(), ask()])

  process.kill(ownerOf(gateway)!, 'SIGKILL')
  while ((statuses.get(429) ?? 0) < 8) await Promise.all([ask(), ask(), ask(), ask()])
  t.equal(statuses.get(200), 40, 'exactly as many as the limit')
  t.same(
    [...statuses.keys()].filter(status => ![200, 429, 503].includes(status)),
    [],
  )
  t.match(gateway.stderr, /the owner process ended/)
  t.equal((await admin('GET', '/load')).processes, 2)

  gateway.signal('SIGTERM')
  t.equal((await gateway.finished).exitCode, 0)
})

import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import WebSocket from 'ws'
import { config, Workplace, type TurnpikeProcess } from '../kit/turnpike-process.ts'

interface Heard {
  readonly status: number
  readonly connection: string | undefined
  readonly retryAfter: string | undefined
}

async function get(url: string, path: string, agent: Agent | false = false): Promise<Heard> {
  const asked = request(`${url}${path}`, { agent }).end()
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  await text(reply)
  return { status: reply.statusCode!, connection: reply.headers.connection, retryAfter: reply.headers['retry-after'] }
}

async function started(t: Test, server: string): Promise<{ gateway: TurnpikeProcess; url: string; adminUrl: string; key: string }> {
  const workplace = new Workplace(config(server).replace('drainAnnounceMs: 0, ', ''))
  t.teardown(() => workplace.remove())
  const gateway = workplace.spawn(['start'])
  t.teardown(() => gateway.signal('SIGKILL'))
  const url = await gateway.url()
  const [, adminUrl] = await gateway.says(/admin API is on (http:\S+)/)
  const [key] = await gateway.says(/tp_\w+/)
  return { gateway, url, adminUrl: adminUrl!, key }
}

/** Asks until the gateway has heard the signal. */
async function untilLeaving(adminUrl: string): Promise<Heard> {
  for (;;) {
    const heard = await get(adminUrl, '/ready')
    if (heard.status !== 200) return heard
  }
}

t.test('a gateway that is told to stop serves on, says so, and only then closes', async t => {
  const { gateway, url, adminUrl, key } = await started(t, 'drainAnnounceMs: 600000, ')
  const kept = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => kept.destroy())
  t.match(await get(url, '/v1/responses/health', kept), { status: 200, connection: 'keep-alive' })
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: `Bearer ${key}` } })
  await once(socket, 'open')
  for (let sent = 0; sent < 2; sent++) gateway.signal('SIGTERM')
  t.match(await untilLeaving(adminUrl), { status: 503, retryAfter: '1' })
  t.match(await get(adminUrl, '/live'), { status: 200 })
  t.match(await get(url, '/v1/responses/health', kept), { status: 503, connection: 'close', retryAfter: '1' })
  t.match(await get(url, '/v1/responses/health'), { status: 503, connection: 'close' }, 'new connections are taken')
  const answer = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/echo', input: 'hi', stream: true }),
  })
  t.match([answer.status, answer.headers.get('connection'), await answer.text()], [200, 'close', /response\.completed/])
  const late = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers: { authorization: `Bearer ${key}` } })
  await once(late, 'open')
  t.equal(socket.readyState, WebSocket.OPEN, 'connections stay open')

  const closed = Promise.all([once(socket, 'close'), once(late, 'close')])
  // Signals that come together are one. This is another one, no matter how slow the machine is.
  await sleep(300)
  gateway.signal('SIGTERM')
  const [[code], [lateCode]] = await closed
  t.match([code, lateCode], [1001, 1001])
  t.equal((await gateway.finished).exitCode, 0)
  await t.rejects(get(url, '/v1/responses/health'), { code: 'ECONNREFUSED' })
})

t.test('the announcement ends by itself, and requests of its last moment are answered', async t => {
  const { gateway, url, key } = await started(t, 'drainAnnounceMs: 700, ')
  gateway.signal('SIGINT')
  const statuses = new Map<string, number>()
  const heard = (outcome: string): unknown => statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
  const caller = async (): Promise<void> => {
    for (;;) {
      const asked = request(`${url}/v1/responses`, {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      asked.end(JSON.stringify({ model: 'sandbox/echo', input: 'hi' }))
      try {
        const [reply] = (await once(asked, 'response')) as [IncomingMessage]
        await text(reply)
        heard(String(reply.statusCode))
      } catch (error) {
        // The listener is closed. A reset would be a request that was sent and lost.
        return void heard((error as NodeJS.ErrnoException).code ?? String(error))
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  t.same([...statuses.keys()].toSorted(), ['200', 'ECONNREFUSED'])
  t.equal((await gateway.finished).exitCode, 0)
})

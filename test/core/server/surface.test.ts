import { once } from 'node:events'
import { connect } from 'node:net'
import { Routes, type Route } from '../../../core/index.ts'
import decisions from '../../../plugins/endpoints/decisions/index.ts'
import openapi from '../../../plugins/endpoints/openapi/index.ts'
import { adding } from '../../kit/stage.ts'
import { byEveryWay } from '../../kit/by-every-way.ts'
import { gateway, listeningGateway } from '../../kit/gateway.ts'

const hi = { model: 'sandbox/echo', input: 'hi' }

byEveryWay('HEAD answers wherever GET does, with the same head and no body', async t => {
  const streamed: Route = {
    method: 'GET',
    path: '/v1/streamed',
    auth: 'key',
    handle: exchange => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: exchange.stream() }),
  }
  const under = await listeningGateway({ plugins: [openapi({}), adding(Routes, streamed)] })
  t.teardown(under.stop)
  const { id } = (await (await under.request('/v1/responses', { body: hi })).json()) as { readonly id: string }
  const headers = { authorization: `Bearer ${under.apiKey}` }
  const paths = ['/v1/models', '/v1/models/sandbox/echo', '/openapi.json', `/v1/responses/${id}`, `/v1/responses/${id}/input_items`]
  for (const path of [...paths, '/v1/responses/health', '/v1/responses/resp_unknown']) {
    const get = await fetch(`${under.url}${path}`, { headers })
    const head = await fetch(`${under.url}${path}`, { method: 'HEAD', headers })
    t.equal(head.status, get.status, path)
    for (const name of ['content-type', 'content-length']) t.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    t.equal(await head.text(), '')
    await get.text()
  }
  t.equal((await fetch(`${under.url}/v1/models`, { method: 'HEAD' })).status, 401, 'with a key as well')
  t.equal((await fetch(`${under.url}/v1/streamed`, { method: 'HEAD', headers })).status, 200, 'a stream that nobody reads is let go')
  const heads = (await under.recorded(15)).filter(({ method }) => method === 'HEAD').map(({ path }) => path)
  t.same(heads, [...paths, '/v1/responses/resp_unknown', '/v1/models', '/v1/streamed'], 'HEAD is recorded as GET is')
})

byEveryWay('other methods of a known path are a 405 that says which there are, in the form of its surface', async t => {
  const under = await listeningGateway({ plugins: [decisions({})] })
  t.teardown(under.stop)
  const cases: readonly (readonly [string, string, string])[] = [
    ['GET', '/v1/responses', 'POST'],
    ['PUT', '/v1/responses/', 'POST'],
    ['GET', '/v1/responses/input_tokens', 'POST'],
    ['POST', '/v1/responses/health', 'GET, HEAD'],
    ['PATCH', '/v1/responses/resp_1', 'GET, DELETE, HEAD'],
    ['GET', '/v1/responses/resp_1/cancel', 'POST'],
    ['DELETE', '/v1/models', 'GET, HEAD'],
    ['POST', '/v1/models/acme/small', 'GET, HEAD'],
    ['OPTIONS', '/v1/models', 'GET, HEAD'],
    ['HEAD', '/v1/responses', 'POST'],
    ['GET', '/v1/systemone', 'POST'],
  ]
  for (const [method, path, allow] of cases) {
    const reply = await fetch(`${under.url}${path}`, { method })
    t.same([reply.status, reply.headers.get('allow')], [405, allow], `${method} ${path}`)
    const text = await reply.text()
    if (method === 'HEAD') t.equal(text, '')
    else if (path === '/v1/systemone') t.match(JSON.parse(text), { detail: { error_type: 'method_not_allowed', message: /Use POST\./ } })
    else t.match(JSON.parse(text), { error: { code: 'method_not_allowed', type: 'invalid_request_error', message: /is not allowed here/ } })
    t.match(await under.record(reply.headers.get('x-request-id')!), { status: 405, errorCode: 'method_not_allowed' })
  }
  t.equal((await fetch(`${under.url}/v1/systemone/more`, { method: 'PUT' })).status, 404, 'what is below is not there')
})

byEveryWay('a WebSocket is refused with a 426, and the connection serves what follows', async t => {
  const under = await listeningGateway({ plugins: [decisions({})] })
  t.teardown(under.stop)
  /** One after another on one connection. */
  const answers = async (requests: readonly string[]): Promise<readonly string[]> => {
    const socket = connect(Number(new URL(under.url).port), '127.0.0.1').setEncoding('utf8')
    const received: string[] = []
    for (const request of requests) {
      socket.write(request)
      let reply = ''
      while (!reply.endsWith('}')) reply += String((await once(socket, 'data'))[0])
      received.push(reply.replace('HTTP/1.1 ', ''))
    }
    socket.destroy()
    return received
  }
  const upgrade = (path: string, to = 'websocket', method = 'GET'): string =>
    `${method} ${path} HTTP/1.1\r\nHost: gateway.example.com\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
    `Authorization: Bearer ${under.apiKey}\r\nOpenAI-Beta: responses_websockets=2026-02-06\r\n\r\n`
  const plain = 'GET /v1/responses HTTP/1.1\r\nHost: gateway.example.com\r\n\r\n'
  for (const path of ['/v1/responses', '/v1/responses/', '/v1/responses?model=m', '/v1/systemone'])
    for (const to of ['websocket', 'WebSocket', 'websocket, h2c', 'h2c,websocket']) {
      const [refused, next] = await answers([upgrade(path, to), plain])
      t.match(refused, /^426 /, path)
      t.match(refused, /\nallow: POST\r\n/i)
      t.match(refused, /\nupgrade: HTTP\/1\.1\r\n/i)
      t.match(refused, /"WebSocket is not served here\. Use HTTP with POST\."/)
      t.match(refused, /"websocket_not_supported"/)
      t.match(next, /^405 /)
    }
  t.match((await answers([upgrade('/v1/responses', 'h2c')]))[0], /^405 /, 'another protocol is no WebSocket')
  t.match((await answers([upgrade('/v1/models')]))[0], /^200 /, 'a path that takes GET serves it')
  t.match((await answers([upgrade('/v1/responses', 'websocket', 'PUT')]))[0], /^405 /, 'an upgrade is a GET')
})

byEveryWay('browsers are let in where the config says so, and a preflight needs no key', async t => {
  const origin = 'https://app.example.com'
  const preflight = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
  const closed = await gateway()
  t.teardown(closed.stop)
  const refused = await closed.gateway.http.h3.request('/v1/responses', { method: 'OPTIONS', headers: preflight })
  t.equal(refused.status, 405)
  for (const reply of [refused, await closed.request('/v1/models', { headers: { origin } })])
    t.notOk(
      [...reply.headers.keys()].some(name => name.startsWith('access-control')),
      'nothing is said of origins',
    )

  for (const origins of [[origin, 'https://other.example.com'], ['*']]) {
    const under = await gateway({ settings: { cors: { origins, maxAgeSeconds: 60 } } })
    t.teardown(under.stop)
    const allowed = await under.gateway.http.h3.request('/v1/responses', { method: 'OPTIONS', headers: preflight })
    t.equal(allowed.status, 204)
    t.equal(allowed.headers.get('access-control-allow-origin'), origins[0])
    t.equal(allowed.headers.get('access-control-allow-headers'), 'authorization,content-type')
    t.equal(allowed.headers.get('access-control-max-age'), '60')
    t.equal(allowed.headers.get('access-control-allow-credentials'), null)
    const replies = [
      await under.request('/v1/responses', { headers: { origin }, body: hi }),
      await under.request('/v1/responses', { headers: { origin }, body: { ...hi, stream: true } }),
      await under.request('/v1/responses', { headers: { origin }, body: {} }),
      await under.request('/v1/models', { headers: { origin, authorization: '' } }),
      await under.request('/v1/nothing', { headers: { origin } }),
    ]
    t.same(
      replies.map(({ status }) => status),
      [200, 200, 400, 401, 404],
    )
    for (const { headers } of replies) {
      t.equal(headers.get('access-control-allow-origin'), origins[0])
      t.equal(headers.get('access-control-expose-headers'), '*', 'x-request-id and the like can be read')
      t.match(headers.get('x-request-id'), /^req_/)
    }
    const stranger = { ...preflight, origin: 'https://elsewhere.example.com' }
    const strange = await under.gateway.http.h3.request('/v1/responses', { method: 'OPTIONS', headers: stranger })
    t.equal(strange.headers.get('access-control-allow-origin'), origins[0] === '*' ? '*' : null)
  }
})

byEveryWay('the key may come in x-api-key as well', async t => {
  const under = await gateway()
  t.teardown(under.stop)
  const other = await under.gateway.issueKey({ name: 'other' })
  const status = async (headers: Record<string, string>): Promise<readonly [number, string]> => {
    const reply = await under.request('/v1/models', { headers })
    return [reply.status, await reply.text()]
  }
  const key = under.apiKey
  t.equal((await status({ authorization: '', 'x-api-key': key }))[0], 200)
  t.equal((await status({ authorization: `Bearer ${key}`, 'x-api-key': ` ${key} ` }))[0], 200, 'the same in both')
  t.equal((await status({ authorization: `Bearer ${key}`, 'x-api-key': '' }))[0], 200)
  for (const [headers, message] of [
    [{ authorization: `Bearer ${key}`, 'x-api-key': other }, /Authorization and x-api-key contain different keys/],
    [{ authorization: 'Basic abc', 'x-api-key': key }, /Authorization and x-api-key contain different keys/],
    [{ authorization: `Bearer ${key}`, 'x-api-key': `${key}, ${other}` }, /Several API keys were sent in x-api-key/],
    [{ authorization: '', 'x-api-key': `${key}, ${other}` }, /Several API keys were sent in x-api-key/],
    [{ authorization: `Bearer ${key.replace('tp_', 'ta_')}` }, /This is an admin token\. The public API accepts API keys/],
    [{ authorization: '', 'x-api-key': 'ta_demo' }, /This is an admin token/],
    [{ authorization: '', 'x-api-key': 'sk-demo' }, /malformed.*x-api-key: tp_/],
    [{ authorization: '', 'x-api-key': '' }, /No API key was sent.*x-api-key/],
  ] as const) {
    const [code, text] = await status(headers)
    t.equal(code, 401)
    t.match(text, message)
    t.notMatch(text, /[0-9a-f]{40}/, 'the secret is not repeated')
  }
})

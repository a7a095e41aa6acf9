import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { trustCertificates } from '../../../config/certificates.ts'
import { UndiciClient } from '../../../core/upstream/http-client.ts'
import { HeldMedia } from '../../../core/upstream/media/held-media.ts'
import { MediaFetcher } from '../../../core/upstream/media/media-fetcher.ts'
import { Proxies } from '../../../core/upstream/proxies.ts'
import { connectProxy, type ConnectProxy } from './connect-proxy.ts'

const tls = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}.pem`, import.meta.url))
const { signal } = new AbortController()
const network = { name: 'ProviderFailure', kind: 'network' }
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')

/** An origin that says for which host it was asked, and a proxy that leads there. */
async function stage(t: Test, { isSecure = true, answer }: { isSecure?: boolean; answer?: string } = {}): Promise<ConnectProxy> {
  const listener: RequestListener = (request, reply) =>
    void request.resume().on('end', () => reply.end(request.url === '/a.png' ? png : `for ${request.headers.host}`))
  const origin = isSecure
    ? createServer({ key: readFileSync(tls('plain-key')), cert: readFileSync(tls('certificate')) }, listener)
    : createPlainServer(listener)
  await once(origin.listen(0, '127.0.0.1'), 'listening')
  const proxy = await connectProxy((origin.address() as AddressInfo).port, answer)
  t.teardown(async () => {
    await proxy.close()
    origin.closeAllConnections()
    origin.close()
  })
  return proxy
}

function clientBehind(t: Test, url: string): UndiciClient {
  const http = new UndiciClient({ proxies: Proxies.of({ HTTPS_PROXY: url, HTTP_PROXY: url }) })
  t.teardown(() => http.close())
  return http
}

async function post(http: UndiciClient, url: string, connectTimeoutMs = 10_000): Promise<string> {
  const { body } = await http.send({ method: 'POST', url, headers: {}, body: '{}' }, { signal, connectTimeoutMs })
  let text = ''
  for await (const chunk of body) text += String(chunk)
  return text
}

t.test('a certificate authority of the company’s own', async t => {
  const proxy = await stage(t)
  await t.rejects(post(clientBehind(t, proxy.url), 'https://api.example.com/v1'), network, 'is unknown at first')
  t.throws(() => trustCertificates(tls('plain-key')), /server\.extraCaFile must be a PEM file of certificates/)
  t.throws(() => trustCertificates(tls('none')), /cannot be read \(ENOENT\)/)
  trustCertificates(tls('certificate'))
  t.equal(await post(clientBehind(t, proxy.url), 'https://api.example.com/v1'), 'for api.example.com')
})

t.test('calls go through the proxy', async t => {
  const proxy = await stage(t)
  const http = clientBehind(t, proxy.url.replace('//', '//demo:p%40ss@'))
  t.equal(await post(http, 'https://api.example.com/v1'), 'for api.example.com')
  t.same(proxy.asked, ['CONNECT api.example.com:443'])
  t.same(proxy.authorizations, [`Basic ${Buffer.from('demo:p@ss').toString('base64')}`])
  const insecure = await stage(t, { isSecure: false })
  t.equal(await post(clientBehind(t, insecure.url), 'http://api.example.com/v1'), 'for api.example.com')
  t.same(insecure.asked, ['POST http://api.example.com/v1'])
})

t.test('calls to this machine do not', async t => {
  const proxy = await stage(t)
  await t.rejects(post(clientBehind(t, proxy.url), 'https://127.0.0.1:1/'), network)
  t.same(proxy.asked, [])
})

t.test('a proxy that refuses, and one that never answers', async t => {
  const refusing = await stage(t, { answer: 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n' })
  await t.rejects(post(clientBehind(t, refusing.url), 'https://api.example.com/'), { kind: 'network', cause: { message: /407/ } })
  const silent = await stage(t, { answer: '' })
  await t.rejects(post(clientBehind(t, silent.url), 'https://api.example.com/', 30), { message: /did not accept a connection in time/ })
})

/** The result of fetching an image from a host with these addresses. */
async function fetched(t: Test, proxy: ConnectProxy, url: string, addresses: readonly string[], allowedHosts: readonly string[] = []) {
  const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  const table = (_: string, __: unknown, callback: (error: Error | null, found: unknown) => void): void =>
    callback(found.length > 0 ? null : Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), found)
  const proxies = Proxies.of({ HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url })
  const fetcher = new MediaFetcher({ allowedHosts, proxies, lookup: table as unknown as typeof lookup })
  t.teardown(() => fetcher.close())
  return fetcher.fetch(url, 'image', signal, await new HeldMedia(100_000_000).enter(0, 100_000_000, signal)).then(
    ({ mediaType }) => mediaType,
    (error: unknown) => (error as { problem?: string }).problem,
  )
}

t.test('images: the proxy is asked for the address that was checked', async t => {
  const proxy = await stage(t)
  t.equal(await fetched(t, proxy, 'https://images.example.com/a.png', ['2606:4700::1111', '93.184.215.14']), 'image/png')
  t.equal(await fetched(t, proxy, 'https://images.example.com:8443/a.png', ['2606:4700::1111']), 'image/png')
  t.same(proxy.asked.splice(0), ['CONNECT 93.184.215.14:443', 'CONNECT [2606:4700::1111]:8443'])
  t.equal(await fetched(t, proxy, 'https://images.example.com/a.png', [], ['images.example.com']), 'image/png')
  t.same(proxy.asked, ['CONNECT images.example.com:443'], 'an allowed host goes by its name')
  const insecure = await stage(t, { isSecure: false })
  t.equal(await fetched(t, insecure, 'http://images.example.com/a.png', ['93.184.215.14']), 'image/png')
  t.same(insecure.asked, ['CONNECT 93.184.215.14:80'])
})

t.test('images: the proxy is not asked for private addresses', async t => {
  const proxy = await stage(t)
  for (const addresses of [['10.0.0.7'], ['93.184.215.14', '169.254.169.254'], ['::ffff:127.0.0.1']])
    t.equal(await fetched(t, proxy, 'https://images.example.com/a.png', addresses), 'address', addresses.join())
  for (const host of ['10.0.0.7', '169.254.169.254', '[fd00::7]', '2852039166'])
    t.equal(await fetched(t, proxy, `https://${host}/a.png`, ['93.184.215.14']), 'address', host)
  t.equal(await fetched(t, proxy, 'https://images.example.com/a.png', []), 'download', 'a host that is not known here')
  t.same(proxy.asked, [])
})

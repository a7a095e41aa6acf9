import t from 'tap'
import { Proxies } from '../../../core/upstream/proxies.ts'

const secure = 'http://secure.example.com:3128'
const plain = 'http://plain.example.com:3128'

t.test('which proxy leads to an address', async t => {
  const proxies = Proxies.of({ HTTPS_PROXY: secure, HTTP_PROXY: plain })!
  t.equal(proxies.for(new URL('https://api.example.com/v1')), secure)
  t.equal(proxies.for(new URL('http://api.example.com/v1')), plain)
  t.equal(Proxies.of({ HTTPS_PROXY: secure })!.for(new URL('http://api.example.com')), undefined)
  t.equal(Proxies.of({ HTTPS_PROXY: plain, https_proxy: secure })!.for(new URL('https://api.example.com')), secure, 'lower case wins')
  t.equal(Proxies.of({ https_proxy: 'proxy.example.com:8080' })!.for(new URL('https://a.example.com')), 'http://proxy.example.com:8080')
  t.equal(Proxies.of({ NO_PROXY: '*', HTTP_PROXY: '', https_proxy: ' ' }), undefined, 'none is set')
})

t.test('what is reached directly', async t => {
  const goesDirectly = (noProxy: string, url: string): boolean =>
    Proxies.of({ HTTPS_PROXY: secure, HTTP_PROXY: plain, NO_PROXY: noProxy })!.for(new URL(url)) === undefined
  for (const [noProxy, url, expected] of [
    ['', 'http://localhost:11434', true],
    ['', 'http://ollama.localhost', true],
    ['', 'http://127.0.0.1:1', true],
    ['', 'http://127.8.9.10', true],
    ['', 'http://[::1]:1', true],
    ['', 'http://10.0.0.1', false],
    ['*', 'https://api.example.com', true],
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.EXAMPLE.com./v1', true],
    ['.example.com', 'https://example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['*.example.com', 'https://api.example.com', true],
    ['*.example.com', 'https://example.com', false],
    ['a.test, example.com:8443 b.test', 'https://example.com:8443', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['*:80', 'http://example.com', true],
    ['*:80', 'https://example.com', false],
    ['10.0.0.0/8', 'http://10.20.30.40', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.7', 'http://10.0.0.7:9000', true],
    ['10.0.0.7', 'http://10.0.0.8', false],
    ['fd00::/8', 'http://[fd00::7]', true],
    ['[fd00::7]:9000', 'http://[fd00::7]:9000', true],
    ['[fd00::7]:9000', 'http://[fd00::7]', false],
    ['10.0.0.0/99', 'http://10.0.0.0', false],
  ] as const)
    t.equal(goesDirectly(noProxy, url), expected, `${url} with NO_PROXY=${noProxy}`)
})

t.test('an invalid proxy is refused without being quoted', async t => {
  for (const value of ['socks5://user:hunter2@proxy.example.com', 'http://user:hunter2@', 'http://[hunter2'])
    t.throws(() => Proxies.of({ https_proxy: value }), {
      message: 'The environment variable HTTPS_PROXY must be an http: or https: URL, such as http://proxy.example.com:3128.',
    })
})

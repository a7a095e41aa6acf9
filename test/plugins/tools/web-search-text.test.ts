import t from 'tap'
import { plainText } from '../../../plugins/tools/web-search/plain-text.ts'
import { domainOf, shownResults } from '../../../plugins/tools/web-search/results.ts'

t.test('markup goes, text stays', async t => {
  const cases: readonly [string, string][] = [
    ['<p>Hello <b>world</b></p>', 'Hello world'],
    ['a &lt;b&gt;c&lt;/b&gt; &amp; d&#39;s &#x1F600; &nbsp;x', "a c & d's 😀 x"],
    ['before<script>alert(1)</script>after<style>p{}</style >.', 'before after .'],
    ['a <!-- hidden --> b', 'a b'],
    ['a <script>never closed', 'a'],
    ['a <!-- never closed', 'a'],
    ['Array<string> and a < b > c', 'Array<string> and a < b > c'],
    ['<img src=x onerror="alert(1)">pic', 'pic'],
    ['one\u0000two\u0007three\r\nfour', 'one two three\nfour'],
    ['a\n\n\n\n\nb', 'a\n\nb'],
    ['&#99999999; &#x110000; &#0;', '&#99999999;'],
    ['<SCRIPT>x</SCRIPT>y', 'y'],
    ['\ud800 alone', '\ufffd alone'],
  ]
  for (const [markup, text] of cases) t.equal(plainText(markup, 1_000), text, JSON.stringify(markup))
  t.equal(plainText('x'.repeat(100), 10), `${'x'.repeat(9)}…`)
})

t.test('hostile markup takes no more than its length', async t => {
  for (const piece of ['<script>', '<!--', '<a ', '&#1', '<svg', '</', '<script', '&lt;script&gt;', '\n ']) {
    const started = process.cpuUsage()
    plainText(piece.repeat(100_000), 2_000)
    t.ok(process.cpuUsage(started).user < 500_000, piece)
  }
})

const query = { query: 'q', maxResults: 3, allowedDomains: [], blockedDomains: [], userLocation: undefined }
const page = (url: string): { url: string; title: string; text: string } => ({ url, title: 't', text: 'x' })

t.test('only pages of the web, each once, and of the right domains', async t => {
  const urls = (pages: readonly { url: string }[], more: object = {}): readonly string[] =>
    shownResults(pages as never, { ...query, ...more }, 100).map(({ url }) => url)
  const odd = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com/',
    'data:text/html,x',
    'no address',
    '',
    `https://example.com/${'x'.repeat(3_000)}`,
  ]
  t.strictSame(urls([...odd.map(page), { url: 3 } as never, page('https://user:pw@example.com/')]), [])
  t.strictSame(urls([page('https://example.com'), page('https://example.com/'), page('http://example.com/b')]), [
    'https://example.com/',
    'http://example.com/b',
  ])
  t.equal(urls(['a', 'b', 'c', 'd'].map(path => page(`https://example.com/${path}`))).length, 3)
  const some = ['https://docs.example.com/', 'https://example.com/', 'https://notexample.com/', 'https://example.com.evil.test/'].map(page)
  t.strictSame(urls(some, { allowedDomains: ['example.com'] }), ['https://docs.example.com/', 'https://example.com/'])
  t.strictSame(urls(some, { blockedDomains: ['example.com'] }), ['https://notexample.com/', 'https://example.com.evil.test/'])
  t.strictSame(urls(some, { allowedDomains: ['example.com'], blockedDomains: ['docs.example.com'] }), ['https://example.com/'])
  t.strictSame(urls(['https://docs.example.com./'].map(page), { blockedDomains: ['example.com'] }), [])
  t.strictSame(shownResults([{ url: 'https://example.com', title: null, text: undefined }] as never, query, 100), [
    { url: 'https://example.com/', title: 'example.com', text: '' },
  ])
})

t.test('domains are read as people write them', async t => {
  for (const text of ['example.com', 'Example.COM', 'https://example.com/docs?x', '*.example.com', ' example.com. ', 'example.com:8080'])
    t.equal(domainOf(text), 'example.com', text)
  t.equal(domainOf('münchen.example'), 'xn--mnchen-3ya.example')
  for (const text of ['', ' ', 'two words', 'http://']) t.equal(domainOf(text), undefined, JSON.stringify(text))
})

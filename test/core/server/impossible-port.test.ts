import t from 'tap'
import { requestUrl } from '../../../core/server/request-url.ts'

t.test('a Host header with an impossible port leaves the path and the query', async t => {
  for (const [url, path] of [
    ['http://localhost:99999/a/b?c=d', '/a/b?c=d'],
    ['http://localhost:99999?c=d', '/?c=d'],
    ['http://localhost:80801/', '/'],
    ['http://localhost:8080/a', '/a'],
  ] as const) {
    const { pathname, search } = requestUrl({ url })
    t.equal(pathname + search, path)
  }
})

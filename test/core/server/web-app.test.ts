import { basicAuth, defineHandler, defineMiddleware, definePlugin, getQuery, H3, onResponse, readBody, setCookie, type H3Event } from 'h3'
import t from 'tap'
import type { WebApp } from '../../../core/gateway.ts'
import { gateway } from '../../kit/gateway.ts'

// The types of the app are ours. A program that uses h3 itself combines both without a cast.

const additions: Readonly<Record<string, (app: WebApp) => void>> = {
  'middleware, whose events go into functions of h3': app =>
    app.use('/added', async (event, next) => {
      setCookie(event, 'added', String(getQuery(event)['by']))
      return event.method === 'PUT' ? readBody(event) : next()
    }),
  'middleware of h3': app =>
    app
      .use('/added', basicAuth({ username: 'acme', password: 'demo' }))
      .use(defineMiddleware((event, next) => (event.context['seen'] === undefined ? next() : undefined)))
      .use(onResponse(response => response.headers.set('x-added', 'yes'))),
  'handlers for events of h3': app =>
    app
      .get('/added/:name', (event: H3Event) => event.context.params)
      .on('POST', '/added', (event: H3Event) => event.node?.req.url)
      .put(
        '/added',
        defineHandler(event => event.url.pathname),
      )
      .delete(
        '/added',
        new H3().delete('/added', () => 'gone'),
      ),
  'a plugin of h3': app => app.register(definePlugin(into => void into.post('/added', () => 'yes'))()),
  'hooks for events of h3': app => {
    app.config.onRequest = (event: H3Event) => void (event.context['seen'] = event.url)
    app.config.onResponse = (response, event) => response.headers.set('x-path', event.path)
  },
  'an app of h3, and one below which it is': app => {
    app.mount(
      '/added',
      new H3().get('/', () => 'yes'),
    )
    new H3().mount('/gateway', app).mount('/again', request => app.fetch(request))
  },
}

for (const [name, add] of Object.entries(additions))
  t.test(`the app takes ${name}`, async t => {
    const { gateway: under, stop } = await gateway()
    t.teardown(stop)
    add(under.http.h3)
    t.equal((await under.http.h3.request('/v1/responses/health')).status, 200)
  })

t.test('an app of h3 serves the gateway below a path', async t => {
  const { gateway: under, stop, apiKey } = await gateway()
  t.teardown(stop)
  const outer = new H3().mount('/gateway', under.http.h3)
  const headers = { authorization: `Bearer ${apiKey}` }
  t.equal((await outer.request('/gateway/v1/models', { headers })).status, 200)
  t.equal((await outer.request('/v1/models', { headers })).status, 404)
})

import { definePlugin, Routes } from '../../../core/index.ts'
import { openApiDocument } from './document.ts'

/** `GET /openapi.json`: the OpenAPI 3.1 description of every route that is served, also of those of other plugins. */
export default definePlugin({
  name: 'openapi',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { routes: Routes },
  setup(gateway, _, { routes }) {
    let document: string | undefined
    gateway.add(Routes, {
      method: 'GET',
      path: '/openapi.json',
      auth: 'none',
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (document ??= JSON.stringify(openApiDocument(routes.values()))),
      }),
      describe: () => ({
        summary: 'This description',
        replies: { 200: { description: 'An OpenAPI 3.1 document.', content: { 'application/json': { type: 'object' } } } },
      }),
    })
  },
})

import { definePlugin, Routes } from '../../../core/index.ts'
import { openApiDocument, undescribedIn } from '../../../core/kit.ts'

/** `GET /openapi.json`: the OpenAPI 3.1 document of all routes, including those of other plugins. */
export default definePlugin({
  name: 'openapi',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      public: { type: 'boolean', default: false, description: 'Serve the description without an API key.' },
    },
  },
  needs: { routes: Routes },
  setup(gateway, { public: isPublic }, { routes }) {
    let document: string | undefined
    const undescribed = undescribedIn(routes, gateway.log)
    gateway.add(Routes, {
      method: 'GET',
      path: '/openapi.json',
      auth: isPublic ? 'none' : 'key',
      surface: null,
      handle: () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (document ??= JSON.stringify(openApiDocument(routes.values(), api, undescribed))),
      }),
      describe: () => ({
        summary: 'This description',
        replies: {
          200: { description: 'An OpenAPI 3.1 document.', content: { 'application/json': { type: 'object' } } },
          ...(!isPublic && { 401: unauthorized }),
        },
      }),
    })
  },
})

const api = {
  title: 'Turnpike',
  description: 'An inference gateway: every model provider behind one API. Every path also works with a trailing slash.',
  credential: { name: 'apiKey', description: 'An API key: tp_<id>_<secret>.' },
}

const unauthorized = {
  description: 'The API key is missing or unknown.',
  content: { 'application/json': { $ref: '#/components/schemas/Error' } },
}

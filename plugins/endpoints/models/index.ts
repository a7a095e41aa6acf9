import { definePlugin, GatewayError, Routes } from '../../../core/index.ts'
import { describeModel, describeModels } from './description.ts'
import { modelDetail, modelSummary } from './model.ts'

/** `GET /v1/models` and `GET /v1/models/{id}`: spec.md, Endpoints. */
export default definePlugin({
  name: 'models',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/models',
      auth: 'key',
      handle: (_, { catalog }) => json({ object: 'list', data: catalog.models().map(modelSummary) }),
      describe: describeModels,
    })
    gateway.add(Routes, {
      method: 'GET',
      // Canonical names may hold slashes.
      path: '/v1/models/**:id',
      auth: 'key',
      handle({ params }, { catalog }) {
        const name = decoded(params['id'] ?? '')
        const model = catalog.resolve(name) ?? catalog.resolve(name.slice(name.indexOf('/') + 1))
        if (model) return json(modelDetail(model))
        const near = catalog.nearest(name)
        const advice = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
        throw new GatewayError({
          status: 404,
          type: 'invalid_request_error',
          code: 'model_not_found',
          message: `The model "${name}" is not listed here.${advice}`,
          param: 'id',
        })
      },
      describe: describeModel,
    })
  },
})

/** Clients encode the slashes of a name. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function json(body: object): { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

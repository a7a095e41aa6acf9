import type { JsonObject, Route, RouteDescription } from '../../../core/index.ts'
import { errorSchemas } from './error-schemas.ts'
import { operationOf } from './operation.ts'
import { pathOf } from './path.ts'

const introduction = 'An inference gateway: every model provider behind one API. Every path also works with a trailing slash.'

/** An OpenAPI 3.1 document of these routes. Routes without a description are listed with path and method only. */
export function openApiDocument(routes: readonly Route[]): JsonObject {
  const described = routes.map(route => ({ route, description: route.describe?.() }))
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const { route, description } of described)
    (paths[pathOf(route.path).path] ??= {})[route.method.toLowerCase()] = operationOf(route, description)
  return {
    openapi: '3.1.0',
    info: { title: 'Turnpike', version: '1.0.0', description: introduction, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: schemasOf(described.map(({ description }) => description)),
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: tp_<id>_<secret>.' } },
    },
  }
}

/** Schema names are global in the document, so each may have only one meaning. */
function schemasOf(descriptions: readonly (RouteDescription | undefined)[]): JsonObject {
  const schemas: Record<string, JsonObject> = { ...errorSchemas }
  for (const [name, schema] of descriptions.flatMap(description => Object.entries(description?.schemas ?? {}))) {
    if (schemas[name] && schemas[name] !== schema) throw new Error(`two routes describe different schemas as "${name}"`)
    schemas[name] = schema
  }
  return schemas
}

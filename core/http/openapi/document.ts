import type { Route, RouteDescription } from '../../contracts/route.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { errorSchemas } from './error-schemas.ts'
import { operationOf } from './operation.ts'
import { pathOf } from './path.ts'

/** A route of either listener. `auth: 'none'`: it needs no credential. */
export type DescribedRoute = Pick<Route, 'method' | 'path' | 'describe'> & { readonly auth: string }

export interface ApiDescription {
  readonly title: string
  readonly description: string
  /** What callers send as `Authorization: Bearer`. */
  readonly credential: { readonly name: string; readonly description: string }
}

/** An OpenAPI 3.1 document of these routes. Routes without a description are listed with path and method only. */
export function openApiDocument(routes: readonly DescribedRoute[], { title, description, credential }: ApiDescription): JsonObject {
  const described = routes.map(route => ({ route, description: route.describe?.() }))
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const { route, description } of described)
    (paths[pathOf(route.path).path] ??= {})[route.method.toLowerCase()] = operationOf(route, description, credential.name)
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: schemasOf(described.map(({ description }) => description)),
      securitySchemes: { [credential.name]: { type: 'http', scheme: 'bearer', description: credential.description } },
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

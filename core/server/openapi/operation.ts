import type { ParameterDescription, ReplyDescription, RouteDescription } from '../../contracts/route.ts'
import type { JsonObject } from '../../foundation/json.ts'
import type { DescribedRoute } from './document.ts'
import { pathOf } from './path.ts'

/** One method of one path. */
export function operationOf(
  { method, path: route, auth }: DescribedRoute,
  description: RouteDescription | undefined,
  credential: string,
): JsonObject {
  const { path, parameters } = pathOf(route)
  const all = [
    ...parameters.map(name => pathParameter(name, description?.path?.[name])),
    ...Object.entries(description?.query ?? {}).map(queryParameter),
  ]
  return {
    operationId: operationId(method, path),
    ...(description && { summary: description.summary }),
    security: auth === 'none' ? [] : [{ [credential]: [] }],
    ...(all.length > 0 && { parameters: all }),
    ...(description?.request && {
      requestBody: { required: !description.isRequestOptional, content: { 'application/json': { schema: description.request } } },
    }),
    responses: description ? mapped(description.replies, response) : { default: { description: 'Its plugin does not describe it.' } },
  }
}

/** `GET /v1/responses/{id}/input_items` as `getV1ResponsesIdInputItems`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z0-9]+/).filter(word => word !== '')
  return method.toLowerCase() + words.map(word => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function pathParameter(name: string, described?: ParameterDescription): JsonObject {
  return { name, in: 'path', required: true, ...(described ?? { schema: { type: 'string' } }) }
}

function queryParameter([name, { description, schema }]: [string, ParameterDescription]): JsonObject {
  return { name, in: 'query', description, schema }
}

function response({ description, headers, content }: ReplyDescription): JsonObject {
  return {
    description,
    ...(headers && { headers }),
    ...(content && { content: mapped(content, bodyOf) }),
  }
}

/** Of a stream the schema is that of each event, whose data is JSON in a string. */
function bodyOf(schema: JsonObject, contentType: string): JsonObject {
  if (contentType !== 'text/event-stream') return { schema }
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: schema }
  return { schema: { type: 'object', required: ['event', 'data'], properties: { event: { type: 'string' }, data } } }
}

function mapped<T>(values: Readonly<Record<string, T>>, change: (value: T, name: string) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}

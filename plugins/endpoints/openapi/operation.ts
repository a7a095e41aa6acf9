import type { JsonObject, ParameterDescription, ReplyDescription, Route, RouteDescription } from '../../../core/index.ts'
import { pathOf } from './path.ts'

/** One method of one path. */
export function operationOf({ method, path: route, auth }: Route, description: RouteDescription | undefined): JsonObject {
  const { path, parameters } = pathOf(route)
  const all = [...parameters.map(pathParameter), ...Object.entries(description?.query ?? {}).map(queryParameter)]
  return {
    operationId: operationId(method, path),
    ...(description && { summary: description.summary }),
    security: auth === 'key' ? [{ apiKey: [] }] : [],
    ...(all.length > 0 && { parameters: all }),
    ...(description?.request && { requestBody: { required: true, content: { 'application/json': { schema: description.request } } } }),
    responses: description ? mapped(description.replies, response) : { default: { description: 'Its plugin does not describe it.' } },
  }
}

/** `GET /v1/responses/{id}/input_items` as `getV1ResponsesIdInputItems`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^a-zA-Z0-9]+/).filter(word => word !== '')
  return method.toLowerCase() + words.map(word => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function pathParameter(name: string): JsonObject {
  return { name, in: 'path', required: true, schema: { type: 'string' } }
}

function queryParameter([name, { description, schema }]: [string, ParameterDescription]): JsonObject {
  return { name, in: 'query', description, schema }
}

function response({ description, headers, content }: ReplyDescription): JsonObject {
  return {
    description,
    ...(headers && { headers }),
    ...(content && { content: mapped(content, schema => ({ schema })) }),
  }
}

function mapped<T>(values: Readonly<Record<string, T>>, change: (value: T) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

import type { Route, RouteDescription } from '../../contracts/route.ts'
import { isObject, type JsonObject } from '../../foundation/json.ts'
import { isPending } from '../../runtime/pending.ts'
import { kindOf } from '../../foundation/kind-of.ts'
import { loggableMessage, type Logger } from '../../foundation/logger.ts'
import { errorSchemas } from './error-schemas.ts'
import { operationOf } from './operation.ts'
import { pathOf } from './path.ts'

/** A route of either listener. */
export type DescribedRoute = Pick<Route, 'method' | 'path' | 'describe'> & {
  /** Any other value than `none`: it needs the credential of the document. */
  readonly auth: string
}

/** The head of an OpenAPI document. */
export interface ApiDescription {
  /** Becomes `info.title`. */
  readonly title: string
  /** Becomes `info.description`. Markdown. */
  readonly description: string
  /** The credential that callers send as `Authorization: Bearer`. */
  readonly credential: {
    /** Its key in `components.securitySchemes`. */
    readonly name: string
    /** Says where to get one. */
    readonly description: string
  }
}

/** `problem` completes a sentence that starts with the name of the route's plugin. */
export type Undescribed = (route: DescribedRoute, problem: string) => void

/** Logs routes that are left out of a document, with the plugins that added them to the registry. */
export function undescribedIn(registry: { pluginOf(name: string): string | undefined }, log: Logger): Undescribed {
  return ({ method, path }, problem) => {
    const route = `${method} ${path}`
    const plugin = registry.pluginOf(route) ?? 'unknown'
    log.child(plugin).error('a route is left out of the OpenAPI document', { route, reason: `plugin ${plugin} ${problem}` })
  }
}

/**
 * An OpenAPI 3.1 document of these routes. Routes without a description are listed with path and method only. `undescribed` gets the routes
 * that are left out because their description is wrong; without it, they are an error.
 */
export function openApiDocument(
  routes: readonly DescribedRoute[],
  { title, description, credential }: ApiDescription,
  undescribed?: Undescribed,
): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {}
  const schemas: Record<string, JsonObject> = { ...errorSchemas }
  for (const route of routes) {
    try {
      const described = descriptionOf(route)
      const operation = operationOf(route, described, credential.name)
      const added = schemasOf(described, schemas)
      // A member such as a BigInt would make the whole document unwritable.
      if (undescribed) JSON.stringify([operation, added])
      ;(paths[pathOf(route.path).path] ??= {})[route.method.toLowerCase()] = operation
      Object.assign(schemas, added)
    } catch (error) {
      if (!undescribed) throw error
      const place = `\`describe\` of route "${route.method} ${route.path}"`
      const problem = error instanceof BadDescription ? `returned a bad answer from ${place}: ${error.message}` : undefined
      undescribed(route, problem ?? `failed in ${place}: ${loggableMessage(error)}`)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1.0.0', description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas,
      securitySchemes: { [credential.name]: { type: 'http', scheme: 'bearer', description: credential.description } },
    },
  }
}

/** Thrown if the result of `describe` is not a description. */
class BadDescription extends Error {}

function descriptionOf(route: DescribedRoute): RouteDescription | undefined {
  if (!route.describe) return undefined
  const described: unknown = route.describe()
  if (isPending(described)) {
    // Nothing awaits the promise, so its rejection must not end the process.
    Promise.resolve(described).catch(() => {})
    throw new BadDescription('expected an object, got a promise (leave out `async`)')
  }
  if (!isObject(described)) throw new BadDescription(`expected an object, got ${kindOf(described)}`)
  if (typeof described['summary'] !== 'string')
    throw new BadDescription(`expected a string as \`summary\`, got ${kindOf(described['summary'])}`)
  if (!isObject(described['replies'])) throw new BadDescription(`expected an object as \`replies\`, got ${kindOf(described['replies'])}`)
  return described as unknown as RouteDescription
}

/** Schema names are global in the document, so each may have only one meaning. */
function schemasOf(
  described: RouteDescription | undefined,
  known: Readonly<Record<string, JsonObject>>,
): Readonly<Record<string, JsonObject>> {
  const added = described?.schemas ?? {}
  for (const [name, schema] of Object.entries(added))
    if (known[name] && known[name] !== schema)
      throw new BadDescription(`expected other names of schemas, got "${name}", which another route describes otherwise`)
  return added
}

import { contractOf, nameOf, type Token } from '../foundation/token.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { extensionPoints } from './extension-points.ts'
import { checkedServices } from './service-shapes.ts'

// Sentences about services and extension points that a plugin takes for something else.

/** The reason why nothing can be added to it. */
export function notAnExtensionPoint(point: unknown): string {
  const service = nameIn(checkedServices, point)
  if (service !== undefined)
    return `adds to ${service}, which is a service. List it in \`provides\`, and call gateway.provide(${service}, …)`
  const isSwapped = isObject(point)
  const given = typeof point === 'symbol' ? nameOf(point) : typeof point === 'string' ? `the string "${point}"` : kindOf(point)
  const remedy = isSwapped ? 'Name it first: gateway.add(Providers, …)' : "Import one: import { Providers } from 'turnpike'"
  return `adds to ${given}, which is not an extension point. ${remedy}`
}

/** The reason why the member of a plugin, or of a call, is no service. */
export function notAService(member: string, given: unknown): string {
  const expected = member === 'provides' || member === 'offers' ? 'an array of services' : 'a service'
  const point = pointName(given)
  if (point !== undefined)
    return `has a bad \`${member}\`: expected ${expected}, got the extension point ${point}. Write gateway.add(${point}, …) in setup instead`
  return `has a bad \`${member}\`: expected ${expected}, got ${kindOf(given)}. Import one: import { KeyStore } from 'turnpike/stores'`
}

/** The reason why `gateway.provide` does not take it. */
export function notProvidable(given: unknown): string {
  const point = pointName(given)
  if (point !== undefined) return `provides ${point}, which is an extension point. Write gateway.add(${point}, …)`
  return `${wrongArgument('provide', 'a service', given)}. Import one: import { KeyStore } from 'turnpike/stores'`
}

/** As it is imported. Undefined for what is not an extension point. */
export function pointName(given: unknown): string | undefined {
  return nameIn(
    extensionPoints.map(({ token }) => token),
    given,
  )
}

function nameIn(tokens: readonly Token<any>[], given: unknown): string | undefined {
  return tokens.includes(given as Token<any>) ? contractOf(given as Token<any>)!.name : undefined
}

/** The name under which a service is imported, or that of its token. */
export function importedName(service: Token<any>): string {
  return contractOf(service)?.name ?? nameOf(service)
}

/** Quotes nothing: the value may be a secret. */
export function wrongArgument(member: string, expected: string, given: unknown): string {
  return `calls \`${member}\` with a bad argument: expected ${expected}, got ${kindOf(given)}`
}

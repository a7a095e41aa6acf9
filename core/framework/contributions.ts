import { contractOf } from '../foundation/token.ts'
import type { Container } from './container.ts'
import { extensionPoints } from './extension-points.ts'

/** A plugin's addition to an extension point. */
export interface Contribution {
  /** The kind, such as `provider`. */
  readonly point: string
  /** The name of the extension point, such as `Providers`. */
  readonly contract: string
  readonly name: string
  readonly plugin: string
}

export function contributionsOf(container: Container): readonly Contribution[] {
  return extensionPoints.flatMap(({ token }) => {
    const registry = container.get(token)
    return registry.entries().map(({ name, plugin }) => ({ point: registry.kind, contract: contractOf(token).name, name, plugin }))
  })
}

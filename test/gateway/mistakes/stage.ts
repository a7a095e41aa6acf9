import { definePlugin } from '../../../core/index.ts'
import type { PluginUse, Registrar } from '../../../core/framework/plugin.ts'
import type { TestGateway } from '../../../core/testing/index.ts'

/** A mistake of somebody who writes a plugin, and the sentence that says so. */
export interface Mistake {
  /** The kind in the table of docs/plugins.md: the name that `turnpike plugin new` has for it, or a phrase if it has none. */
  readonly kind: string
  /** What was written, as docs/mistakes.md says it. */
  readonly mistake: string
  readonly plugins: () => readonly PluginUse[]
  /** The requests that show a mistake which is not seen at the start. */
  readonly ask?: (gateway: TestGateway) => Promise<Response>
  readonly sentence: string
}

const none = { type: 'object', additionalProperties: false, properties: {} }

/** A plugin `acme` as somebody writes it who has no types. */
export function acme(setup: (gateway: Registrar, options: never, needs: any) => unknown, more: object = {}): PluginUse {
  return (definePlugin as (definition: unknown) => (options: object) => PluginUse)({ name: 'acme', options: none, setup, ...more })({})
}

export function adds(point: unknown, contribution: unknown): () => readonly PluginUse[] {
  return () => [acme(gateway => gateway.add(point as never, contribution as never))]
}

export function provides(service: unknown, implementation: unknown): () => readonly PluginUse[] {
  return () => [acme(gateway => gateway.provide(service as never, implementation as never), { provides: [service] })]
}

export const run = (): void => {}

import { definePlugin, type Registry, type Token } from '../../../core/index.ts'
import { contractOf } from '../../../core/foundation/token.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import type { SuiteContext } from '../../../core/testing/provider-suite.ts'

/** The names of the tests of a suite that fail. */
export async function complaints(suite: (t: SuiteContext) => void): Promise<readonly string[]> {
  const tests: (readonly [name: string, run: () => Promise<void>])[] = []
  suite({ test: (name, run) => tests.push([name, run]) })
  const failed: string[] = []
  for (const [name, run] of tests) await run().catch(() => failed.push(name))
  return failed
}

/** A plugin of one name, made anew each time, that adds what `make` returns. */
export function adds<T>(point: Token<Registry<T>>, make: () => T): () => PluginUse {
  const stated = contractOf(point)
  return () =>
    definePlugin({
      name: 'demo-plugin',
      options: { type: 'object', additionalProperties: false, properties: {} },
      ...(stated && { contracts: { [stated.name]: stated.version } }),
      setup: registrar => registrar.add(point, make()),
    })({})
}

export interface Case<M> {
  /** What is wrong with it. */
  readonly mistake: string
  readonly members: M
  /** Tests that must notice it. */
  readonly noticed: readonly string[]
}

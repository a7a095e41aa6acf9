import assert from 'node:assert/strict'
import type { RunContext } from '../../contracts/run-context.ts'
import type { Policy } from '../../contracts/policy.ts'
import type { Token } from '../../foundation/token.ts'
import { nameOf } from '../../foundation/token.ts'
import type { Registry } from '../../framework/registry.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import { companionsOf } from '../companions.ts'
import { PluginStage } from '../plugin-stage.ts'
import { providerCall } from '../provider-call.ts'
import type { SuiteContext } from '../provider-suite.ts'

/** Sets the plugin up for each test, and runs it with everything that the plugin adds to this extension point. */
export function onEachPlugin<T>(
  t: SuiteContext,
  options: CallSuiteOptions,
  point: Token<Registry<T>>,
): (name: string, run: (added: T, stage: PluginStage) => Promise<void>) => void {
  return (name, run) =>
    void t.test(name, async () => {
      await using stage = await stageOf(options)
      for (const added of addedTo(stage, options, point)) await run(added, stage)
    })
}

/** The plugin under test and those around it, without a gateway. */
export async function stageOf({ plugin, plugins }: CallSuiteOptions): Promise<PluginStage> {
  const own = [plugin(), ...(plugins?.() ?? [])]
  return await PluginStage.open([...(await companionsOf(own)), ...own])
}

/** The contributions of the plugin under test. There is at least one. */
export function addedTo<T>(stage: PluginStage, { plugin }: CallSuiteOptions, point: Token<Registry<T>>): readonly T[] {
  const { name } = plugin().plugin
  const added = stage.entries(point, name).map(({ contribution }) => contribution)
  assert.ok(added.length > 0, `the plugin ${name} must add to ${nameOf(point)}`)
  return added
}

/** The context of a request of a demo caller, with these fields of the policy on. */
export function contextWith(policy: Partial<Policy> = {}, signal?: AbortSignal): RunContext {
  const { context } = providerCall({ model: 'demo', input: [] }, signal ? { signal } : {})
  return { ...context, caller: { ...context.caller, policy: { ...context.caller.policy, ...policy } } }
}

/** Texts that callers send, most of which nobody expects. */
export const oddTexts = [
  '',
  ' ',
  'a\r\nb\u0000c',
  '\ud800 alone',
  '"&=?#%+/\\',
  '搜索 🦊',
  '__proto__',
  'constructor',
  '<|endoftext|>',
  'word '.repeat(5_000),
] as const

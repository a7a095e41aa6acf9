import { soundUsage } from '../billing/cost.ts'
import { usageProblem } from '../billing/usage-problem.ts'
import type { TokenUsage } from '../contracts/events.ts'
import type { RunContext } from '../contracts/run-context.ts'

/** The usage that a provider reported. Undefined if it cannot be billed: then the log names the plugin, and the gateway counts. */
export function billableUsage(
  usage: TokenUsage | undefined,
  { id, log }: RunContext,
  provider: string,
  plugins: { pluginOf(provider: string): string | undefined },
): TokenUsage | undefined {
  const problem = usageProblem(usage)
  if (problem === undefined) return soundUsage(usage!)
  const plugin = plugins.pluginOf(provider) ?? provider
  log.error('a usage cannot be billed, so the gateway counts the tokens', {
    request: id,
    provider,
    plugin,
    reason: `plugin ${plugin} reported ${problem}`,
  })
  return undefined
}

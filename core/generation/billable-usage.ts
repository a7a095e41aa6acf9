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
  const checked = checkedUsage(usage)
  if (typeof checked === 'object') return checked
  const plugin = plugins.pluginOf(provider) ?? provider
  log.error('usage cannot be billed, so the gateway counts the tokens', {
    request: id,
    provider,
    plugin,
    reason: `plugin ${plugin} reported ${checked}`,
  })
  return undefined
}

/** The usage to charge for a reply that did not end: an interim count may be wrong, and no later one corrects it. */
export function withinLimit(usage: TokenUsage, outputLimit: number): TokenUsage {
  const { output, reasoning } = usage
  return output <= outputLimit ? usage : { ...usage, output: outputLimit, reasoning: Math.min(reasoning, outputLimit) }
}

/** The usage, or the reason why it cannot be billed. */
function checkedUsage(usage: TokenUsage | undefined): TokenUsage | string {
  try {
    return usageProblem(usage) ?? soundUsage(usage!)
  } catch {
    return 'a usage that throws when it is read'
  }
}

import { InvalidArgumentError, Option, type Command } from 'commander'
import { policyFields } from '../../core/admin.ts'
import type { JsonObject, PolicyField } from '../../core/index.ts'
import { period } from '../admin/arguments.ts'
import { numberFrom } from '../command.ts'

/** What commander makes of `addSettings`. `false` is the `--no-…` form. */
export interface SettingsOptions extends Partial<Record<PolicyField, boolean>> {
  readonly models?: readonly string[] | false
  readonly providers?: readonly string[] | false
  readonly spendCap?: number | false
  readonly spendPeriod?: string
  readonly allowUnpriced?: boolean
  readonly tokensPerMinute?: number | false
  readonly limits?: readonly JsonObject[] | false
  readonly maxConcurrency?: number | false
  readonly expires?: string | false
}

const count = numberFrom('a whole number above 0', number => Number.isSafeInteger(number) && number > 0)

/** Adds the options that `keys create` and `keys update` share. */
export function addSettings(command: Command): Command {
  addFlag(command, 'zdr', 'Zero data retention: use only endpoints that are certified for it.')
  addFlag(command, 'hipaa', 'Use only endpoints with a business associate agreement.')
  addFlag(command, 'redaction', 'Remove personal data from prompts.')
  addFlag(command, 'logging', 'Store requests and answers: required for previous_response_id.')
  command
    .option('--models <a,b>', 'The models it may use: names, aliases, and patterns such as openai/*. Default: all.', names)
    .option('--providers <a,b>', 'The providers it may use. Default: all.', names)
    .option(
      '--spend-cap <usd>',
      'The most it may spend, in US dollars.',
      numberFrom('an amount above 0, such as 5 or 0.50', usd => usd > 0),
    )
    .option('--spend-period <period>', 'day, week, month, or none: the cap is for all time.', period)
  addFlag(command, 'allow-unpriced', 'With a cap: allow models without a known price.')
  return command
    .option('--tokens-per-minute <number>', 'The most tokens it may use in a minute.', count)
    .option('--limits <list>', 'The most tokens or requests in windows, such as 100000t/60s,10r/1s.', limits)
    .option('--max-concurrency <number>', 'The most requests to models in progress at once.', count)
    .option('--expires <time>', 'When it stops working, such as 2026-12-31T00:00:00Z.')
}

/** Only the settings that were named, as the admin API takes them. */
export function bodyOf(options: SettingsOptions): JsonObject {
  const policy = Object.fromEntries(
    policyFields.flatMap(field => (options[field] === undefined ? [] : [[field, { value: options[field] }]])),
  )
  const given: readonly (readonly [string, unknown])[] = [
    ['models', options.models],
    ['providers', options.providers],
    ['spend_cap_usd', options.spendCap],
    ['spend_period', options.spendPeriod === 'none' ? null : options.spendPeriod],
    ['limits', options.limits ?? perMinute(options.tokensPerMinute)],
    ['max_concurrency', options.maxConcurrency],
    ['expires_at', options.expires],
  ]
  return {
    ...(Object.keys(policy).length > 0 && { policy }),
    ...Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value === false ? null : value]]))),
    ...(options.allowUnpriced !== undefined && { allow_unpriced: options.allowUnpriced }),
  }
}

function perMinute(tokens: number | false | undefined): readonly JsonObject[] | false | undefined {
  return tokens === undefined || tokens === false ? tokens : [{ tokens, window_s: 60 }]
}

/** With neither `--name` nor `--no-name`, the option is absent. */
function addFlag(command: Command, name: string, description: string): void {
  command.option(`--${name}`, description).addOption(new Option(`--no-${name}`).hideHelp())
}

function names(text: string): readonly string[] {
  const list = text.split(',').map(name => name.trim())
  if (list.includes('')) throw new InvalidArgumentError('Expected a list of names: a,b')
  return list
}

function limits(text: string): readonly JsonObject[] {
  return text.split(',').map(each => {
    const [, amount, unit, seconds] = /^(\d+)([tr])\/(\d+)s$/.exec(each.trim()) ?? []
    if (amount === undefined)
      throw new InvalidArgumentError('Expected amounts of tokens (t) or requests (r) in seconds, such as 100000t/60s,10r/1s.')
    return { [unit === 't' ? 'tokens' : 'requests']: Number(amount), window_s: Number(seconds) }
  })
}

import { InvalidArgumentError, Option, type Command } from 'commander'
import { policyFields, type ApiKey, type PolicyField, type PolicyLayer } from '../../core/index.ts'
import { numberFrom } from '../command.ts'

/** What commander makes of `addSettings`. `false` is the `--no-…` form. */
export interface SettingsOptions extends Partial<Record<PolicyField, boolean>> {
  readonly models?: readonly string[] | false
  readonly providers?: readonly string[] | false
  readonly spendCap?: number | false
  readonly allowUnpriced?: boolean
  readonly tokensPerMinute?: number | false
}

export type KeyLimits = Pick<ApiKey, 'models' | 'providers' | 'spendCapUsd' | 'allowUnpriced' | 'tokensPerMinute'>

/** Adds the options that `keys create` and `keys update` share. */
export function addSettings(command: Command): Command {
  addFlag(command, 'zdr', 'Zero data retention: use only endpoints that are certified for it.')
  addFlag(command, 'hipaa', 'Use only endpoints with a business associate agreement.')
  addFlag(command, 'redaction', 'Remove personal data from prompts.')
  addFlag(command, 'logging', 'Store requests and answers: required for previous_response_id.')
  command
    .option('--models <a,b>', 'The models it may use. Default: all.', names)
    .option('--providers <a,b>', 'The providers it may use. Default: all.', names)
    .option(
      '--spend-cap <usd>',
      'The most it may spend, in US dollars.',
      numberFrom('an amount above 0, such as 5 or 0.50', usd => usd > 0),
    )
  addFlag(command, 'allow-unpriced', 'With a cap: allow models without a known price.')
  return command.option(
    '--tokens-per-minute <number>',
    'The most tokens it may use in a minute.',
    numberFrom('a whole number above 0', tokens => Number.isSafeInteger(tokens) && tokens > 0),
  )
}

/** For `option`: a name that is not blank. */
export function keyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a name, such as demo.')
  return text
}

/** Only the policy fields that were named, either way. */
export function policyOf(options: SettingsOptions): PolicyLayer {
  return Object.fromEntries(policyFields.flatMap(field => (options[field] === undefined ? [] : [[field, { value: options[field] }]])))
}

/** Only the limits that were named. A limit that was lifted is undefined. */
export function limitsOf({ models, providers, spendCap, allowUnpriced, tokensPerMinute }: SettingsOptions): KeyLimits {
  return {
    ...(models !== undefined && { models: models || undefined }),
    ...(providers !== undefined && { providers: providers || undefined }),
    ...(spendCap !== undefined && { spendCapUsd: spendCap || undefined }),
    ...(allowUnpriced !== undefined && { allowUnpriced }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute: tokensPerMinute || undefined }),
  }
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

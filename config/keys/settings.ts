import { InvalidArgumentError, type Command } from 'commander'
import type { JsonObject, PolicyField } from '../../core/index.ts'
import { keyFields } from '../../core/stores.ts'
import { policyFields } from '../../core/admin.ts'
import { addFieldOptions, addFlag, addRemoval, addRemovals, bodyOf as fieldsIn } from '../admin/field-options.ts'
import { numberFrom } from '../command.ts'

/** The options that commander parses for `addSettings`, in addition to those of the fields. `false` is the `--no-…` form. */
export interface SettingsOptions extends Partial<Record<PolicyField, boolean>> {
  readonly spendCap?: number | false
  readonly spendPeriod?: string
  readonly tokensPerMinute?: number | false
}

/** Adds the options that `keys create` and `keys update` share. */
export function addSettings(command: Command): Command {
  addFlag(command, 'zdr', 'Zero data retention: use only endpoints that are certified for it.')
  addFlag(command, 'hipaa', 'Use only endpoints with a business associate agreement.')
  addFlag(command, 'redaction', 'Remove personal data from prompts.')
  addFlag(command, 'logging', 'Store requests and answers: required for previous_response_id.')
  return addFieldOptions(command, keyFields, {
    limits,
    spendCapUsd: numberFrom('an amount above 0, such as 5 or 0.50', usd => usd > 0),
  }).option(
    '--tokens-per-minute <number>',
    'The most tokens it may use in a minute.',
    numberFrom('a whole number above 0', number => Number.isSafeInteger(number) && number > 0),
  )
}

/** Adds the options of `keys update` that take settings back. */
export function addSettingRemovals(command: Command): Command {
  addRemovals(command, keyFields)
  addRemoval(command, 'tokens-per-minute')
  return command
}

/** Only the settings that were named, as the admin API takes them. */
export function bodyOf(options: SettingsOptions): JsonObject {
  const policy = Object.fromEntries(
    policyFields.flatMap(field => (options[field] === undefined ? [] : [[field, { value: options[field] }]])),
  )
  const { tokensPerMinute: tokens } = options
  return {
    ...(Object.keys(policy).length > 0 && { policy }),
    ...(tokens !== undefined && { limits: tokens === false ? null : [{ tokens, window_s: 60 }] }),
    ...fieldsIn(keyFields, options),
  }
}

function limits(text: string): readonly JsonObject[] {
  return text.split(',').map(each => {
    const [, amount, unit, seconds, exact] = /^(\d+)([tr])\/(\d+)s(:exact)?$/.exec(each.trim()) ?? []
    if (amount === undefined)
      throw new InvalidArgumentError('Expected amounts of tokens (t) or requests (r) in seconds, such as 100000t/60s,10r/1s:exact.')
    return { [unit === 't' ? 'tokens' : 'requests']: Number(amount), window_s: Number(seconds), ...(exact && { exact: true }) }
  })
}

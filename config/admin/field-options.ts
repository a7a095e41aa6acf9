import { InvalidArgumentError, Option, type Command } from 'commander'
import type { JsonObject } from '../../core/index.ts'
import type { Field, Fields } from '../../core/stores.ts'
import { shownName } from '../../core/admin.ts'
import { numberFrom } from '../command.ts'
import { keyName } from './arguments.ts'

/** Reads the argument of an option, by the name of the field: for JSON, and where the type of the field does not say enough. */
export type Parsers = Readonly<Record<string, (text: string) => unknown>>

/** Adds the option of each field that has one. */
export function addFieldOptions(command: Command, fields: Fields, parsers: Parsers): Command {
  for (const [name, field] of withOption(fields)) {
    if (field.type === 'flag') addFlag(command, option(field).name(), field.about)
    else command.option(field.option, explained(field), parsers[name] ?? parserOf(field))
  }
  return command
}

/** Adds `--no-…` for each field that may be missing. With neither form, the field stays as it is. */
export function addRemovals(command: Command, fields: Fields): Command {
  for (const [, field] of withOption(fields))
    if (field.optional && field.type !== 'flag' && !field.choices) addRemoval(command, option(field).name())
  return command
}

export function addRemoval(command: Command, name: string): void {
  command.option(`--no-${name}`, `Remove what --${name} set.`)
}

/** The fields that the options name, as the admin API takes them. */
export function bodyOf(fields: Fields, options: object): JsonObject {
  const given = withOption(fields).flatMap(([name, field]) => {
    const value: unknown = options[option(field).attributeName() as keyof typeof options]
    if (value === undefined) return []
    const isRemoved = field.type !== 'flag' && (value === false || (field.choices && value === noChoice))
    return [[shownName(name, field), isRemoved ? null : value]]
  })
  return Object.fromEntries(given)
}

/** With neither `--name` nor `--no-name`, the option is absent. */
export function addFlag(command: Command, name: string, description: string): void {
  command.option(`--${name}`, description).addOption(new Option(`--no-${name}`).hideHelp())
}

const noChoice = 'none'

function withOption(fields: Fields): readonly (readonly [name: string, field: Field & { readonly option: string }])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.option === undefined ? [] : [[name, field as Field & { readonly option: string }]],
  )
}

function option({ option: flags }: { readonly option: string }): Option {
  return new Option(flags)
}

function explained({ about, choices }: Field): string {
  return choices ? `${listed([...choices, noChoice])}. ${about}` : about
}

function parserOf({ type, choices }: Field): (text: string) => unknown {
  if (choices) return choiceOf([...choices, noChoice])
  switch (type) {
    case 'integer':
      return numberFrom('a whole number above 0', number => Number.isSafeInteger(number) && number > 0)
    case 'number':
      return numberFrom('a number of 0 or more', () => true)
    case 'names':
      return names
    default:
      return keyName
  }
}

function choiceOf(choices: readonly string[]): (text: string) => string {
  return text => {
    if (choices.includes(text)) return text
    throw new InvalidArgumentError(`Expected ${listed(choices)}.`)
  }
}

function listed(choices: readonly string[]): string {
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function names(text: string): readonly string[] {
  const list = text.split(',').map(name => name.trim())
  if (list.includes('')) throw new InvalidArgumentError('Expected a list of names: a,b')
  return list
}

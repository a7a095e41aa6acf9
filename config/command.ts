import { Command, InvalidArgumentError, Option } from 'commander'

/** A command or a group of them. Mistakes in its options are told in a line or two on standard error. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'turnpike: ')) })
}

export interface ConfigOption {
  readonly config?: string
}

/** For `addOption`. */
export function configOption(): Option {
  return new Option('-c, --config <file>', 'The config. Default: gateway.config.ts, .mts, .js or .mjs in this folder.')
}

/** Reads an option as a number, or says what was expected. */
export function numberFrom(expected: string, isRight: (number: number) => boolean): (text: string) => number {
  return text => {
    const number = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && Number.isFinite(number) && isRight(number)) return number
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

import { InvalidArgumentError } from 'commander'

// Checks of arguments that several commands take, for `option`.

/** A name that is not blank. */
export function keyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a name, such as demo.')
  return text
}

/** The period of a spend cap. */
export function period(text: string): string {
  if (['day', 'week', 'month', 'none'].includes(text)) return text
  throw new InvalidArgumentError('Expected day, week, month or none.')
}

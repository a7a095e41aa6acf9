import { InvalidArgumentError } from 'commander'

/** For `option`: a name that is not blank. */
export function keyName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a name, such as demo.')
  return text
}

import { matching, type Detector } from './detector.ts'

const addresses = matching(/[\p{L}\p{N}._%+'’-]{0,63}[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}(?<!-)/gu)

function isEscaped(text: string, start: number): boolean {
  return text[start - 1] === '\\' && 'nrtbf'.includes(text[start]!)
}

/** Addresses in any script. A local part has at most 64 characters: https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1 */
export const email: Detector = {
  label: 'EMAIL',
  // In text with escapes, such as `\\nbob@example.com`, the letter after the backslash is not a part of the address.
  find: text => addresses(text).map(({ start, end }) => ({ start: isEscaped(text, start) ? start + 1 : start, end })),
}

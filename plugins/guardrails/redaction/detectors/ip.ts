import { isIPv4, isIPv6 } from 'node:net'
import { matching, type Detector } from './detector.ts'

const v4 = matching(/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/g, (match, text, start) => isIPv4(match) && !isVersion(text, start))
const v6 = matching(/(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{1,4}|::[0-9a-fA-F]{0,4}){1,8}(?:\.\d{1,3}){0,3}(?!\w|:[\w:])/g, isAddress)
const version = /(?<!\p{L})(?:version|ver|release|build|v|section|chapter|§)[.:]? $/iu

export const ip: Detector = {
  label: 'IP',
  find: text => [...v4(text), ...v6(text)],
}

function isVersion(text: string, start: number): boolean {
  return text[start - 1] === ' ' && version.test(text.slice(Math.max(0, start - 12), start))
}

/** Short forms such as `c::d` and words such as `add::face` are usually code, not addresses. */
function isAddress(match: string): boolean {
  if (match.indexOf(':') === match.lastIndexOf(':') || !/\d/.test(match) || !isIPv6(match)) return false
  const groups = match.split(':').filter(group => group !== '')
  return groups.length > 2 || groups.some(({ length }) => length > 2)
}

import { isIPv4, isIPv6 } from 'node:net'
import { matching, type Detector } from './detector.ts'

const v4 = matching(/(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)/g, isIPv4)
const v6 = matching(/(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?:\.\d{1,3}){0,3}(?![\w:])/g, isAddress)

export const ip: Detector = {
  label: 'IP',
  find: text => [...v4(text), ...v6(text)],
}

/** Short forms such as `c::d` are more often code than addresses. */
function isAddress(match: string): boolean {
  const groups = match.split(':').filter(group => group !== '')
  return isIPv6(match) && (groups.length > 2 || groups.some(({ length }) => length > 2))
}

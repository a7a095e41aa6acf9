import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { policyFields } from '../contracts/policy.ts'
import { hedgePercentiles } from '../contracts/provider.ts'
import { isObject } from '../foundation/json.ts'
import { capabilitiesProblem } from './capabilities-shape.ts'
import { isAboveZero, method, milliseconds, shapeProblem, text, type Member } from './shape.ts'

// Members of contributions that few contracts have.

export const credentials: Member = {
  expected: 'an array of { id, account } with strings',
  accepts: value =>
    Array.isArray(value) && value.every(each => isObject(each) && text.accepts(each['id']) && text.accepts(each['account'])),
}
export const timeouts: Member = {
  expected: 'an object with milliseconds above 0',
  accepts: value => isObject(value) && Object.values(value).every(each => each === undefined || milliseconds.accepts(each)),
}
export const slowStream: Member = {
  expected: 'an object with tokensPerSecond and overMs above 0',
  accepts: value => isObject(value) && isAboveZero(value['tokensPerSecond']) && milliseconds.accepts(value['overMs']),
}
export const hedgeAfter: Member = {
  expected: `milliseconds above 0, a percentile (${hedgePercentiles.join(', ')}), or false`,
  accepts: value => value === false || milliseconds.accepts(value) || (hedgePercentiles as readonly unknown[]).includes(value),
}
export const fields: Member = {
  expected: `an array of policy fields (${policyFields.join(', ')})`,
  accepts: value => Array.isArray(value) && value.every(each => (policyFields as readonly unknown[]).includes(each)),
}
export const sight: Member = {
  expected: '"local" or { zdr, hipaa }, each an object or false',
  accepts: value =>
    value === 'local' || (isObject(value) && [value['zdr'], value['hipaa']].every(each => each === false || isObject(each))),
}
export const toolType: Member = {
  expected: 'a type of tool that is not "function", "custom" or "namespace", which are the caller\'s own',
  accepts: value => text.accepts(value) && !['function', 'custom', 'namespace'].includes(value as string),
}
export const usd: Member = { expected: 'US dollars from 0', accepts: value => typeof value === 'number' && value >= 0 && value < Infinity }
export const having = (name: string): Member => ({
  expected: `an object with the function \`${name}\``,
  accepts: isObject,
  within: value => shapeProblem(value, { [name]: method }),
})
export const capabilities: Member = { expected: 'an object', accepts: isObject, within: capabilitiesProblem }
export const schema: Member = { expected: 'a JSON Schema', accepts: isObject }
export const pattern: Member = {
  expected: 'the source of a regular expression, from ^ to $',
  accepts: value => text.accepts(value) && isWhole(value),
}
export const word: Member = {
  expected: 'a word in kebab-case',
  accepts: value => typeof value === 'string' && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(value),
}
export const file: Member = {
  // In two parts, because the build replaces the expression in texts, too.
  expected: `the URL of a file, such as new URL('page.js', ${'import.meta'}.url)`,
  accepts: value => value instanceof URL && value.protocol === 'file:',
  within: value => (existsSync(value as URL) ? undefined : `: there is no file ${fileURLToPath(value as URL)}`),
}
export const path: Member = {
  expected: 'a path that starts with "/"',
  accepts: value => typeof value === 'string' && value.startsWith('/'),
}

export const plainPath: Member = {
  expected: 'a path that starts with "/", without parameters and without "/" at its end',
  accepts: value => typeof value === 'string' && /^(?:\/[\w.~-]+)+$/.test(value),
}
export const surface: Member = {
  expected: 'the name of a public API in kebab-case, or null',
  accepts: value => value === null || word.accepts(value),
}
export const upgrade: Member = {
  expected: 'a value of the header upgrade, in lower case, such as "websocket"',
  accepts: value => typeof value === 'string' && /^[a-z0-9][a-z0-9./_-]*$/.test(value),
}

export const trial: Member = {
  expected: 'an object with name, title, kind and example',
  accepts: value => isObject(value) && word.accepts(value['name']) && text.accepts(value['title']) && isObject(value['example']),
}

/** True if it is a regular expression that matches whole values only. */
function isWhole(pattern: unknown): boolean {
  const source = String(pattern)
  if (!source.startsWith('^') || !source.endsWith('$')) return false
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

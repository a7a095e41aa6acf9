import { sendingOptions } from '../../core/kit.ts'
import type { HostPlugin } from './host-plugin.ts'
import { aFunction, listOf, someText, valueLike, type Check, type Shape } from './table-shape.ts'

const reserved = new Set(['id', 'apiKey', 'baseUrl', 'account', 'headers', ...Object.keys(sendingOptions)])

const options: Check = (value, path, report) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return report(`${path} must be an object of JSON Schemas`)
  for (const [name, schema] of Object.entries(value)) {
    if (reserved.has(name)) report(`${path}.${name} has the name of an option that every provider has`)
    if (typeof schema !== 'object' || schema === null || typeof schema.description !== 'string')
      report(`${path}.${name} must be a JSON Schema with a description`)
  }
}

/** The checks of what makes a plugin of a table. `account` belongs to the place, too. */
export const pluginShape: Shape<Omit<HostPlugin<object>, 'account'>> = {
  name: someText,
  id: valueLike('a text without slashes or white space', value => typeof value === 'string' && /^[^\s/]+$/.test(value)),
  options,
  required: listOf(someText),
  departures: aFunction,
}

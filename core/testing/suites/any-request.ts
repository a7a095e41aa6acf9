import assert from 'node:assert/strict'
import type { RouteDescription } from '../../contracts/route.ts'
import { isObject } from '../../foundation/json.ts'
import { oddTexts } from './on-each-plugin.ts'

interface Addressed {
  readonly path: string
}

const parameter = /\*\*:(\w+)|:(\w+)|\*\*?/g

/** A path that the route serves, with `value` in the place of each parameter. */
export function pathOf({ path }: Addressed, value = 'demo'): string {
  return path.replaceAll(parameter, () => encodeURIComponent(value))
}

/** Paths and queries that callers may write. */
export function oddPaths(route: Addressed): readonly string[] {
  const values =
    pathOf(route) === route.path ? [] : [...oddTexts.filter(text => text !== '' && !text.startsWith('\ud800')), '..', '%', 'a/b']
  const queries = ['', '?', '?limit=x&limit=-1&after=%00', '?a[b]=c&__proto__=d', `?q=${'x'.repeat(2_000)}`]
  return [...queries.map(query => `${pathOf(route)}${query}`), ...values.map(value => pathOf(route, value.slice(0, 500)))]
}

const json = 'application/json'

/** Bodies that no route expects. */
export const strayBodies: readonly { readonly body: string; readonly type: string }[] = [
  '',
  '{',
  'null',
  '[]',
  '[[[[]]]]',
  '7',
  '"text"',
  '{}',
  '{"model":null,"input":7,"messages":{}}',
  '{"model":"suite/m","input":[null],"messages":[null],"contents":[null]}',
  '{"model":"suite/m","input":[{"role":"user","content":{"a":[]}}]}',
  '{"__proto__":{"a":1},"constructor":{"prototype":{}}}',
  `{"model":"${'x'.repeat(10_000)}"}`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
]
  .map(body => ({ body, type: json }))
  .concat([
    { body: '{}', type: 'text/plain' },
    { body: 'a=b', type: 'application/x-www-form-urlencoded' },
    { body: '\ufffd\u0000', type: 'application/octet-stream' },
  ])

/** Checks the description of a route. */
export function isDescribed(path: string, description: RouteDescription): void {
  const { summary, path: parameters = {}, query = {}, request, replies } = description
  assert.ok(typeof summary === 'string' && summary.trim() !== '', `${path} needs a summary`)
  const named = [...path.matchAll(parameter)].map(([, deep, plain]) => deep ?? plain)
  for (const name of Object.keys(parameters)) assert.ok(named.includes(name), `${path} has no parameter ${name}`)
  for (const [name, { description: about, schema }] of Object.entries({ ...parameters, ...query }))
    assert.ok(about !== '' && isObject(schema), `the parameter ${name} of ${path} needs a description and a schema`)
  if (request !== undefined) assert.ok(isObject(request), `the request of ${path} must be a JSON Schema`)
  const statuses = Object.keys(replies)
  assert.ok(statuses.length > 0, `${path} needs a reply`)
  for (const status of statuses) {
    assert.match(status, /^[1-5]\d\d$/, `${path} has a reply with the status ${status}`)
    assert.ok(replies[Number(status)]!.description !== '', `the reply ${status} of ${path} needs a description`)
  }
}

import { isObject } from '../foundation/json.ts'

/** Every place of a member called `name` in a schema of options, such as `timeouts.connectMs` or `targets[].url`. Outer ones first. */
export function pathsTo(name: string, schema: unknown): readonly string[] {
  const found = new Set<string>()
  visit(schema, '', (path, member) => void (member === name && found.add(path)))
  return [...found].sort((a, b) => depth(a) - depth(b))
}

function visit(schema: unknown, path: string, see: (path: string, member: string) => void): void {
  if (!isObject(schema)) return
  const { properties, items, anyOf, oneOf, additionalProperties } = schema
  if (isObject(properties)) {
    for (const [member, inner] of Object.entries(properties)) {
      const place = path === '' ? member : `${path}.${member}`
      see(place, member)
      visit(inner, place, see)
    }
  }
  visit(items, `${path}[]`, see)
  visit(additionalProperties, path === '' ? '<name>' : `${path}.<name>`, see)
  for (const form of [anyOf, oneOf].flat()) visit(form, path, see)
}

function depth(path: string): number {
  return path.split('.').length
}

import { isObject, PluginError, type FoundPage } from '../../../core/index.ts'

/** The pages in what an engine returned. Throws a `PluginError` that names the engine and the member, never a value: it may be content. */
export function checkedResults(reply: unknown, engine: string, plugin: string): readonly FoundPage[] {
  const refuse = (member: string, expected: string, got: unknown): never => {
    throw new PluginError(
      plugin,
      `returned a bad reply from its search engine "${engine}": expected ${expected} in \`${member}\`, got ${kindOf(got)}`,
    )
  }
  const results = isObject(reply) ? reply['results'] : refuse('results', 'an object with an array', reply)
  if (!Array.isArray(results)) return refuse('results', 'an array', results)
  const pages = (results as readonly unknown[]).filter(isObject)
  for (const [index, page] of pages.entries()) {
    if (typeof page['url'] !== 'string') refuse(`results[${index}].url`, 'a string', page['url'])
    for (const member of ['title', 'text', 'publishedAt'])
      if (!isText(page[member])) refuse(`results[${index}].${member}`, 'a string', page[member])
  }
  return pages as unknown as readonly FoundPage[]
}

/** Engines leave out unknown texts. */
function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string'
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

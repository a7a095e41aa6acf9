import { PluginError } from '../../core/index.ts'
import { problemsOf, type Check } from './table-shape.ts'

/** Throws a `TypeError` if the table has mistakes. `caller`: the function that got it. */
export function checkTable(caller: string, table: unknown, shape: Readonly<Record<string, Check>>): void {
  const problems = problemsOf(table, shape)
  if (problems.length > 0) throw new TypeError(`${caller} got a table with ${counted(problems)}`)
}

/** The same for a plugin that is being set up. */
export function checkTableOf(
  plugin: string,
  table: unknown,
  shape: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): void {
  const problems = problemsOf(table, shape, required)
  if (problems.length > 0) throw new PluginError(plugin, `has a table with ${counted(problems)}`)
}

/** Throws a `TypeError` for a table that is none, before a plugin can be named. */
export function needTable(caller: string, table: unknown): void {
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new TypeError(`${caller} needs a table, such as { name: 'acme-chat', id: 'acme', baseUrl: 'https://llm.example.com/v1' }`)
}

function counted(problems: readonly string[]): string {
  const [first] = problems
  return problems.length === 1 ? `a mistake: ${first}` : `${problems.length} mistakes:\n- ${problems.join('\n- ')}`
}

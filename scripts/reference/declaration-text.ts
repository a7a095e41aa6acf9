import { parseSync } from 'rolldown/utils'
import type { Node } from './declaration-source.ts'
import { declaredName, type DeclaredName } from './declared-name.ts'

/** Reads the declarations of a name as a report has them: `DeclaredName.text`. */
export function declaredText(name: string, text: string): DeclaredName {
  const ambient = `declare module 'report' {\n${text}\n}`
  const { program, errors } = parseSync('report.d.ts', ambient)
  if (errors.length > 0) throw new Error(`expected declarations of '${name}', but got \`${text}\`: ${errors[0]!.message}`)
  const [module] = program.body as unknown as readonly [{ readonly body: { readonly body: readonly Node[] } }]
  return declaredName(name, ambient, module.body.body)
}

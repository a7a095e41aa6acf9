import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** A node of the syntax tree of a declaration file. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

/** A name and the file, without ending, that declares or passes it on. */
export interface Named {
  readonly file: string
  readonly name: string
}

/** Declarations, imports and exports of one `.d.ts` file. */
export class DeclarationSource {
  readonly text: string
  /** The statements of each name: more than one for an interface with a token, or a function with overloads. */
  readonly declarations = new Map<string, Node[]>()
  readonly imports = new Map<string, Named>()
  readonly exports = new Map<string, Named>()

  constructor(folder: string, file: string, open: (file: string) => DeclarationSource) {
    this.text = readFileSync(join(folder, `${file}.d.ts`), 'utf8')
    for (const statement of parseSync(`${file}.d.ts`, this.text).program.body as unknown as Node[]) this.#read(file, statement, open)
  }

  #read(file: string, statement: Node, open: (file: string) => DeclarationSource): void {
    const from = (statement['source'] as { readonly value: string } | null | undefined)?.value
    const origin = from?.startsWith('.') ? withoutEnding(join(dirname(file), from)) : undefined
    const specifiers = (statement['specifiers'] ?? []) as readonly Readonly<Record<'local' | 'imported' | 'exported', { name: string }>>[]
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported } of specifiers)
        if (origin && imported) this.imports.set(local.name, { file: origin, name: imported.name })
    } else if (statement.type === 'ExportAllDeclaration') {
      if (origin) for (const [name, named] of open(origin).exports) this.exports.set(name, named)
    } else if (statement.type === 'ExportNamedDeclaration') {
      const declaration = statement['declaration'] as Node | null
      if (declaration) for (const name of this.#declare(declaration, statement)) this.exports.set(name, { file, name })
      for (const { local, exported } of specifiers) this.exports.set(exported.name, { file: origin ?? file, name: local.name })
    } else this.#declare(statement, statement)
  }

  #declare(declaration: Node, statement: Node): readonly string[] {
    const declarators = (declaration['declarations'] ?? [declaration]) as readonly { readonly id?: { readonly name?: string } | null }[]
    const names = declarators.flatMap(({ id }) => id?.name ?? [])
    for (const name of names) this.declarations.set(name, [...(this.declarations.get(name) ?? []), statement])
    return names
  }
}

export function withoutEnding(file: string): string {
  return file.replace(/(\.d)?\.[jt]s$/, '')
}

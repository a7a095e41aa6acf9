import { dirname, join } from 'node:path'
import { DeclarationSource, withoutEnding, type Named, type Node } from './declaration-source.ts'
import { declaredName, type DeclaredName } from './declared-name.ts'
import { doors, type Door } from './doors.ts'

/** All that the package declares to those who import it. */
export interface DeclaredApi {
  readonly door: Door
  readonly exported: readonly DeclaredName[]
  /** Types that exported ones show, which no door exports. */
  readonly shown: readonly DeclaredName[]
}

/** Reads the API of each door from the declaration files in a folder. */
export function declaredApi(folder: string): readonly DeclaredApi[] {
  const sources = new Map<string, DeclarationSource>()
  const open = (file: string): DeclarationSource => {
    const source = sources.get(file) ?? new DeclarationSource(folder, file, open)
    sources.set(file, source)
    return source
  }
  const origin = ({ file, name }: Named): Named | undefined => {
    const source = open(file)
    if (source.declarations.has(name)) return { file, name }
    const next = source.imports.get(name) ?? source.exports.get(name)
    return next && (next.file !== file || next.name !== name) ? origin(next) : undefined
  }
  const keyOf = ({ file, name }: Named): string => `${file} ${name}`
  const exportsOf = (door: Door): readonly (Named & { readonly as: string })[] => {
    const file = withoutEnding(door.file)
    return [...open(file).exports.keys()].sort(byText).flatMap(as => {
      const named = origin({ file, name: as })
      return named ? [{ ...named, as }] : []
    })
  }
  const offered = new Set(doors.flatMap(door => exportsOf(door).map(keyOf)))
  const nodesOf = ({ file, name }: Named): readonly Node[] => open(file).declarations.get(name)!
  return doors.map(door => {
    const exported = exportsOf(door)
    const shown = new Map<string, Named>()
    const follow = (named: Named): void => {
      for (const each of typesIn(nodesOf(named), named.file)) {
        const found = origin(each)
        if (!found || offered.has(keyOf(found)) || shown.has(keyOf(found))) continue
        shown.set(keyOf(found), found)
        // An abbreviation that a file keeps to itself is a part of what it exports. Others are parts of the gateway, and end here.
        if (!open(found.file).exports.has(found.name)) follow(found)
      }
    }
    exported.forEach(follow)
    return {
      door,
      exported: exported.map(named => declaredName(named.as, open(named.file).text, nodesOf(named))),
      shown: [...shown.values()]
        .sort((a, b) => byText(a.name, b.name) || byText(a.file, b.file))
        .map(named => declaredName(named.name, open(named.file).text, nodesOf(named))),
    }
  })
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The names of types and values that declarations mention. */
function typesIn(nodes: readonly Node[], file: string): readonly Named[] {
  const found: Named[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    else if (typeof value === 'object' && value !== null && typeof (value as Node).type === 'string') {
      const node = value as Node
      const mentioned = (node['typeName'] ??
        node['exprName'] ??
        (/Heritage|ClassImplements/.test(node.type) ? node['expression'] : undefined)) as { readonly name?: string } | undefined
      if (mentioned?.name) found.push({ file, name: mentioned.name })
      const superClass = node['superClass'] as { readonly name?: string } | null | undefined
      if (superClass?.name) found.push({ file, name: superClass.name })
      if (node.type === 'TSImportType') {
        const source = (node['source'] ?? (node['argument'] as Node | undefined)?.['literal']) as { readonly value: string } | undefined
        const qualifier = node['qualifier'] as { readonly name?: string } | null
        if (source?.value.startsWith('.') && qualifier?.name)
          found.push({ file: withoutEnding(join(dirname(file), source.value)), name: qualifier.name })
      }
      for (const each of Object.values(node)) visit(each)
    }
  }
  visit(nodes)
  return found
}

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The doors for plugins and their tests, by the paths under which they are published. */
const forPlugins: Readonly<Record<string, string>> = {
  '.': 'core/index.ts',
  './kit': 'core/kit.ts',
  './dialects': 'dialects/index.ts',
  './stores': 'core/stores.ts',
  './admin': 'core/admin.ts',
  './testing': 'core/testing/index.ts',
}
const doors: Readonly<Record<string, string>> = { ...forPlugins, './gateway': 'core/gateway.ts', './config': 'config/index.ts' }

type Node = Readonly<Record<string, unknown>> & { readonly type: string }

interface Declared {
  readonly file: string
  readonly name: string
}

/** The declarations, imports and exports of one source. */
class Source {
  readonly file: string
  readonly declarations = new Map<string, Node[]>()
  readonly imports = new Map<string, Declared>()
  readonly exported = new Map<string, Declared>()
  /** Exports of classes of which only the type can be imported. */
  readonly typesOnly = new Set<string>()

  constructor(file: string) {
    this.file = file
    for (const statement of parseSync(file, readFileSync(join(root, file), 'utf8')).program.body as unknown as Node[]) this.#read(statement)
  }

  #read(statement: any): void {
    const from = statement.source?.value as string | undefined
    const origin = from?.startsWith('.') ? join(dirname(this.file), from) : undefined
    if (statement.type === 'ImportDeclaration' && origin)
      for (const { local, imported } of statement.specifiers)
        if (imported) this.imports.set(local.name, { file: origin, name: imported.name })
    if (statement.type === 'ExportAllDeclaration' && origin)
      for (const [name, original] of sourceOf(origin).exported) this.exported.set(name, original)
    if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration) for (const name of this.#declare(statement.declaration)) this.exported.set(name, { file: this.file, name })
      for (const { local, exported, exportKind } of statement.specifiers) {
        this.exported.set(exported.name, { file: origin ?? this.file, name: local.name })
        if (statement.exportKind === 'type' || exportKind === 'type') this.typesOnly.add(exported.name)
      }
    } else this.#declare(statement)
  }

  #declare(node: any): readonly string[] {
    const names: string[] = node.type === 'VariableDeclaration' ? node.declarations.map(({ id }: any) => id.name) : [node.id?.name]
    for (const name of names) if (name) this.declarations.set(name, [...(this.declarations.get(name) ?? []), node])
    return names
  }
}

const sources = new Map<string, Source>()
function sourceOf(file: string): Source {
  const known = sources.get(file) ?? new Source(file)
  sources.set(file, known)
  return known
}

/** Where a name is declared, through any re-exports. Undefined for names of packages. */
function declared({ file, name }: Declared): Declared | undefined {
  const source = sourceOf(file)
  if (source.declarations.has(name)) return { file, name }
  const next = source.imports.get(name) ?? source.exported.get(name)
  return next && (next.file !== file || next.name !== name) ? declared(next) : undefined
}

/** Adds the types that a declaration shows to those who import it. Bodies of functions and private members show none. */
function addTypes(node: any, into: Set<string>, typeOnly: boolean): void {
  if (Array.isArray(node)) for (const each of node) addTypes(each, into, typeOnly)
  if (!node?.type) return
  const add = (...parts: unknown[]): void => addTypes(parts, into, typeOnly)
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return add(node.typeParameters, node.params, node.returnType)
    case 'PropertyDefinition':
      return node.key.type === 'PrivateIdentifier' ? undefined : add(node.typeAnnotation ?? node.value)
    case 'MethodDefinition':
      if (node.key.type === 'PrivateIdentifier' || (typeOnly && (node.kind === 'constructor' || node.static))) return
      return add(node.value)
    case 'ClassDeclaration':
      return add(node.typeParameters, node.body)
    case 'VariableDeclarator':
      return add(node.id.typeAnnotation ?? node.init)
    case 'CallExpression':
      return add(node.typeArguments)
    case 'TSTypeReference':
      if (node.typeName.type === 'Identifier') into.add(node.typeName.name)
      return add(node.typeArguments)
    case 'TSInterfaceHeritage':
      if (node.expression.type === 'Identifier') into.add(node.expression.name)
      return add(node.typeArguments)
    case 'ObjectExpression':
    case 'TSTypeQuery':
      return
    default:
      return add(...Object.values(node).filter(each => typeof each === 'object'))
  }
}

function shown({ file, name }: Declared, typeOnly: boolean): readonly Declared[] {
  const names = new Set<string>()
  for (const node of sourceOf(file).declarations.get(name) ?? [])
    addTypes(
      node.type === 'VariableDeclaration' ? (node['declarations'] as any[]).filter(({ id }) => id.name === name) : node,
      names,
      typeOnly,
    )
  return [...names].map(each => declared({ file, name: each })).filter(each => each !== undefined)
}

t.test('each name is in exactly one door', async t => {
  const places = new Map<string, string[]>()
  for (const [door, file] of Object.entries(doors))
    for (const name of sourceOf(file).exported.keys()) places.set(name, [...(places.get(name) ?? []), door])
  t.same(
    [...places].filter(([, found]) => found.length > 1),
    [],
  )
})

t.test('the front door stays small', async t => {
  const { size } = sourceOf(doors['.']!).exported
  t.ok(size <= 90, `${size} names; what a first plugin does not need belongs in another door`)
})

t.test('package.json and tsconfig.json know the same doors', async t => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  for (const [door, file] of Object.entries(doors)) {
    const built = file.replace(/\.ts$/, '')
    const exported = { 'turnpike-source': `./${file}`, types: `./dist/${built}.d.ts`, default: `./dist/${built}.js` }
    t.same(manifest.exports[door], exported, door)
    t.same(compilerOptions.paths[`turnpike${door.slice(1)}`], [`./${file}`], door)
  }
})

t.test('every type in a signature can be imported', async t => {
  const keyOf = ({ file, name }: Declared): string => `${file}: ${name}`
  const offered = new Set(
    Object.values(doors).flatMap(door => [...sourceOf(door).exported.keys()].map(name => keyOf(declared({ file: door, name })!))),
  )
  t.ok(offered.size > 300, `${offered.size} names`)
  const missing = Object.values(forPlugins).flatMap(door =>
    [...sourceOf(door).exported.keys()].flatMap(name =>
      shown(declared({ file: door, name })!, sourceOf(door).typesOnly.has(name))
        // A type that its own file keeps to itself is an abbreviation.
        .filter(type => sourceOf(type.file).exported.has(type.name) && !offered.has(keyOf(type)))
        .map(type => `${keyOf(type)}, which ${name} shows`),
    ),
  )
  t.same(missing, [])
})

t.test('a door has what a plugin, an example, a config or a page uses, and nothing else', async t => {
  const users = globSync(['{plugins,dialects,examples,config}/**/*.ts', 'docs/**/*.md'], {
    cwd: root,
    exclude: path => path.includes('node_modules'),
  })
  const used = new Set(
    users.flatMap(file =>
      Array.from(readFileSync(join(root, file), 'utf8').matchAll(/\bimport (?:type )?\{([^}]*)\} from|`(\w+)`/g), ([, names, quoted]) =>
        quoted
          ? [quoted]
          : names!.split(',').map(
              name =>
                name
                  .replace(/^\s*type\s/, '')
                  .trim()
                  .split(' as ')[0]!,
            ),
      ).flat(),
    ),
  )
  const unused = Object.values(forPlugins).flatMap(door => {
    if (door.startsWith('core/testing/')) return []
    const { exported, typesOnly } = sourceOf(door)
    return [...exported.keys()].filter(name => !used.has(name) && !typesOnly.has(name)).map(name => `${door}: ${name}`)
  })
  t.same(unused, [])
})

import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Completion } from './completions.ts'
import { root, type CodeBlock } from './code-block.ts'

/** The import of each name, such as `import { definePlugin } from 'turnpike'`. */
export type Imports = ReadonlyMap<string, string>

/** The whole module of a block: see the rules in `completions.ts`. */
export function completedModule({ text, language }: CodeBlock, { before = '', members, modules = {} }: Completion, known: Imports): string {
  if (language === 'js') return text
  const isInside = /^\w+(?:: |\()/.test(text) && !/^\w+\(/.test(text)
  if (isInside && !members) throw new Error('is the inside of an object: state its `members` in completions.ts')
  const whole = isInside ? `${members![0]}\n${text.trimEnd().replace(/,$/, '')}\n${members![1]}` : text
  const isModule =
    /^import /m.test(text) &&
    !/\bgateway\.add\(/.test(
      text
        .split('\n')
        .filter(line => /^\w/.test(line))
        .join('\n'),
    )
  const front = isModule ? '' : before
  const complete = `${front}\n${withoutEllipses(whole)}\nexport {}\ndeclare const elided: any\n`
  return withFiles(`${importsFor(complete, known)}\n${complete}`, modules)
}

function withoutEllipses(text: string): string {
  return text
    .replaceAll(/^( *)…$(?=\n\s*[}\]])/gm, '$1...elided')
    .replaceAll(/^( *)…$/gm, '$1void elided')
    .replaceAll(/(?<=[{,] )…(?=,| [}])/g, '...elided')
    .replaceAll(/(?<=[(,] )…(?=\))/g, 'elided')
}

function importsFor(text: string, known: Imports): string {
  const code = text.replaceAll(/\/\/.*|'[^'\n]*'/g, '')
  const declared = new Set(
    Array.from(text.matchAll(/^import (?:type )?(\w+)? ?,? ?(?:\{([^}]*)\})?/gm), ([, name = '', names = '']) => [
      name,
      ...names.split(',').map(each => each.replace(/^\s*type /, '').trim()),
    ])
      .flat()
      .concat(Array.from(text.matchAll(/(?:const|function|class|interface) (\w+)/g), ([, name]) => name!)),
  )
  const used = new Set(Array.from(code.matchAll(/(?<![\w#]|(?<!\.\.)\.)[A-Za-z]\w*(?!\w|\??: )/g), ([name]) => name))
  return [...used].flatMap(name => (declared.has(name) || name in globalThis ? [] : (known.get(name) ?? []))).join('\n')
}

function withFiles(text: string, modules: Readonly<Record<string, string>>): string {
  return text.replaceAll(/(?<= from ')([^']+)(?=')/g, specifier => {
    const file = modules[specifier] ?? (/^(?:examples|test)\//.test(specifier) ? specifier : undefined)
    return file === undefined ? specifier : join(root, file)
  })
}

/** What the doors export, by the reports on them, and the plugins of the package under the names that configs give them. */
export function knownImports(): Imports {
  const doors = globSync('test/fixtures/api/*.api.md', { cwd: root }).flatMap(file => {
    const door = basename(file, '.api.md')
    const report = readFileSync(join(root, file), 'utf8')
    return Array.from(report.matchAll(/^\/\/ (\w+), since .*\n([^]*?)```/gm), ([, name = '', text = '']) => {
      const isType = !/^(?:const|function|class|abstract class|let) /m.test(text)
      return [name, `import { ${isType ? 'type ' : ''}${name} } from '${door === 'turnpike' ? door : `turnpike/${door}`}'`] as const
    })
  })
  const plugins = globSync('plugins/*/*/index.ts', { cwd: root }).map(path => {
    const [, kind = '', folder = ''] = /^plugins\/([^/]+)\/([^/]+)\//.exec(path)!
    const camel = folder.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const name = kind === 'catalogs' ? `${camel}Catalog` : camel
    return [name, `import ${name} from 'turnpike/plugins/${kind}/${folder}'`] as const
  })
  return new Map([...plugins, ...doors])
}

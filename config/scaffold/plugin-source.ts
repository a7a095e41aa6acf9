import { exampleText } from './examples.ts'
import { camelCase, pascalCase, titleCase, type PluginNames } from './plugin-names.ts'
import type { PluginKind } from './plugin-kinds.ts'

/** The source of a new plugin, what else it needs, and its test: the texts of the example under new names. */
export function pluginSource(kind: PluginKind, names: PluginNames): readonly (readonly [path: string, text: string])[] {
  const [, folder = '', file = ''] = /^(.*)\/(.*)$/.exec(kind.example)!
  const source = exampleText(kind.example)
  const [, exampleName = ''] = /\bname: '([^']+)'/.exec(source)!
  const renamed = (text: string): string => {
    const own = text
      .replace(/(definePlugin\(\{\n {2}name: )'[^']+'/, `$1'${names.package}'`)
      .replaceAll(new RegExp(`(?<![\\w-])${exampleName}(?!\\w)`, 'g'), names.short)
    return kind.namesVendor ? withVendor(own, names) : own
  }
  const moved = (text: string): string =>
    [[file, 'index.ts'] as const, ...(kind.files ?? []).map(each => [each, each] as const)].reduce(
      (result, [from, to]) => result.replaceAll(`'../${from}'`, `'../src/${to}'`),
      text,
    )
  return [
    ['src/index.ts', renamed(source)],
    ...(kind.files ?? []).map(each => [`src/${each}`, renamed(exampleText(`${folder}/${each}`))] as const),
    ['test/plugin.test.ts', renamed(moved(exampleText(`${folder}/test/${file.replace(/\.ts$/, '.test.ts')}`)))],
  ]
}

/** Acme in every spelling that code and texts have. */
function withVendor(text: string, { short, identifier }: PluginNames): string {
  return text
    .replaceAll(/(?<!['"`/.@-])\bacme(?=\(| from |, \{)/g, identifier)
    .replaceAll(/\bacme(?=[A-Z])/g, camelCase(short))
    .replaceAll(/\bAcme(?=[A-Z])/g, pascalCase(short))
    .replaceAll(/\bACME(?=_)/g, short.replaceAll('-', '_').toUpperCase())
    .replaceAll(/\bacme(?!\w)/g, short)
    .replaceAll(/\bAcme\b/g, titleCase(short))
}

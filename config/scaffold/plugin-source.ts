import { exampleText } from './examples.ts'
import { camelCase, pascalCase, titleCase, type PluginNames } from './plugin-names.ts'
import type { PluginKind } from './plugin-kinds.ts'

/** The source of a new plugin, what else it needs, and its test: the texts of the example under new names. */
export function pluginSource(kind: PluginKind, names: PluginNames): readonly (readonly [path: string, text: string])[] {
  const [, folder = '', file = ''] = /^(.*)\/(.*)$/.exec(kind.example)!
  const source = exampleText(kind.example)
  const [, exampleName = ''] = /\bname: '([^']+)'/.exec(source)!
  const isPackage = exampleName.startsWith('turnpike-plugin-')
  const renamed = (text: string): string => {
    const packaged = text.replace(/(\n {2}name: )'turnpike-plugin-[^']+'|(definePlugin\(\{\n {2}name: )'[^']+'/, `$1$2'${names.package}'`)
    const own = isPackage ? packaged : packaged.replaceAll(new RegExp(`(?<![\\w-])${exampleName}(?!\\w)`, 'g'), names.short)
    const paged = kind.page === undefined ? own : own.replaceAll(new RegExp(`(?<![\\w-])${kind.page}(?![\\w-])`, 'g'), names.short)
    return kind.vendor === undefined ? paged : withVendor(paged, kind.vendor, names)
  }
  const moved = (text: string): string =>
    [[file, 'index.ts'] as const, ...(kind.files ?? []).map(each => [each, each] as const)].reduce(
      (result, [from, to]) => result.replaceAll(`'../${from}'`, `'../src/${to}'`),
      text,
    )
  return [
    ['src/index.ts', withSdk(renamed(source))],
    ...(kind.files ?? []).map(each => [`src/${each}`, withSdk(renamed(exampleText(`${folder}/${each}`)))] as const),
    ['test/plugin.test.ts', withSdk(renamed(moved(exampleText(`${folder}/test/${file.replace(/\.ts$/, '.test.ts')}`))))],
  ]
}

/** A package depends on turnpike-sdk: its tests alone need the gateway. */
function withSdk(text: string): string {
  return text.replaceAll(/(?<=from ')turnpike(?=(\/(kit|dialects|stores|admin))?')/g, 'turnpike-sdk')
}

/** The vendor in every spelling that code and texts have. */
function withVendor(text: string, vendor: string, { short, identifier }: PluginNames): string {
  const [lower, title, upper] = [vendor, pascalCase(vendor), vendor.toUpperCase()]
  const spellings: readonly (readonly [pattern: string, name: string])[] = [
    [`(?<!['"\`/.@-])\\b${lower}(?=\\(| from |, \\{)`, identifier],
    [`\\b${lower}(?=[A-Z])`, camelCase(short)],
    [`\\b${title}(?=[A-Z])`, pascalCase(short)],
    [`\\b${upper}(?=_)`, short.replaceAll('-', '_').toUpperCase()],
    [`\\b${lower}(?!\\w)`, short],
    [`\\b${title}\\b`, titleCase(short)],
  ]
  return spellings.reduce((renamed, [pattern, name]) => renamed.replaceAll(new RegExp(pattern, 'g'), name), text)
}

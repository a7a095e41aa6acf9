import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The files that an engine would send to a build: those of a folder that its `.dockerignore` leaves. */
export class BuildContext {
  readonly #folder: string
  readonly #rules: readonly { readonly pattern: string; readonly matches: RegExp; readonly isWanted: boolean }[]

  constructor(folder: string) {
    this.#folder = folder
    this.#rules = readFileSync(join(folder, '.dockerignore'), 'utf8')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'))
      .map(line => ({ pattern: line.replace(/^!/, ''), isWanted: line.startsWith('!') }))
      .map(rule => ({ ...rule, matches: expressionOf(rule.pattern) }))
  }

  /** The paths of all files, from the folder. */
  get files(): readonly string[] {
    return this.#filesIn('')
  }

  /** Copies a file, or all files with `.`, into another folder. */
  copy(path: string, to: string): void {
    const files = path === '.' ? this.files : this.files.filter(file => file === path || file.startsWith(`${path}/`))
    if (files.length === 0) throw new Error(`COPY ${path}: there is no such file in the context`)
    for (const file of files) {
      const target = join(to, file)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(this.#folder, file), target)
    }
  }

  #filesIn(parent: string): readonly string[] {
    return readdirSync(join(this.#folder, parent), { withFileTypes: true }).flatMap(entry => {
      const path = parent === '' ? entry.name : `${parent}/${entry.name}`
      if (entry.isDirectory()) return this.#mayHaveWanted(path) ? this.#filesIn(path) : []
      return this.#isWanted(path) ? [path] : []
    })
  }

  /** The last rule that matches the path, or a folder above it, decides. */
  #isWanted(path: string): boolean {
    const names = path.split('/')
    const paths = names.map((_, index) => names.slice(0, index + 1).join('/'))
    return this.#rules.findLast(({ matches }) => paths.some(each => matches.test(each)))?.isWanted ?? true
  }

  #mayHaveWanted(folder: string): boolean {
    return this.#isWanted(folder) || this.#rules.some(({ pattern, isWanted }) => isWanted && pattern.startsWith(`${folder}/`))
  }
}

/** Unlike in a shell, names that begin with a dot match, too. */
function expressionOf(pattern: string): RegExp {
  const words: Readonly<Record<string, string>> = { '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' }
  return new RegExp(`^${pattern.replaceAll(/\*\*\/|\*\*|[*?]|[.+^${}()|[\]\\]/g, found => words[found] ?? `\\${found}`)}$`)
}

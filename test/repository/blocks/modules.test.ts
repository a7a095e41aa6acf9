import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { blocksOf, codeBlocks, placeOf, root, type CodeBlock } from './code-block.ts'
import { completedModule, knownImports } from './completed-module.ts'
import { completions } from './completions.ts'

const fromExamples = /^\/\/ (?:From )?examples\/\S+\n/

t.test('all TypeScript and JavaScript of the pages compiles', async t => {
  // Blocks from the examples are compared with their files in docs.test.ts, and `npm run check` compiles these.
  const blocks = codeBlocks().filter(({ language, text }) => /^[jt]s$/.test(language) && !fromExamples.test(text))
  t.ok(blocks.length > 60, `${blocks.length} blocks`)
  const wrong = [
    "definePlugin({ name: 'demo', setup() {} })",
    'fileCatalog({ path: 7 })',
    'server: { prot: 80 }',
    "import { absent } from 'turnpike'",
  ].flatMap(code => blocksOf('docs/admin-api.md', `\`\`\`ts\n${code}\n\`\`\`\n`))
  const problems = await problemsOf([...blocks, ...wrong])
  const isWrong = (problem: string): boolean => problem.startsWith('docs/admin-api.md:1: ')
  t.same(
    problems.filter(problem => !isWrong(problem)),
    [],
  )
  t.match(problems.filter(isWrong), [/'options'/, /'number' is not assignable/, /'prot'/, /'absent'/], 'mistakes are found')
})

async function problemsOf(blocks: readonly CodeBlock[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-blocks-'))
  try {
    return await compiled(folder, blocks)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function compiled(folder: string, blocks: readonly CodeBlock[]): Promise<readonly string[]> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings()))
  const known = knownImports()
  const places = new Map<string, string>()
  for (const [index, block] of blocks.entries()) {
    const file = fileOf(block, index)
    places.set(file, placeOf(block))
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), completedModule(block, completions[block.page] ?? {}, known))
  }
  const run = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['--project', folder], { cwd: folder })
  const { stdout } = (await run.catch((error: unknown) => error)) as { readonly stdout: string }
  return stdout.split(/\n(?=\S)/).flatMap(message => {
    const [, file = '', rest = ''] = /^(\S+?)\((?:\d+),\d+\): ([^]*)$/.exec(message.trim()) ?? []
    return message.trim() === '' ? [] : `${places.get(file) ?? file}: ${rest || message}`
  })
}

/** In a folder for its page, under the name that the block gives itself, so that blocks can import one another. */
function fileOf({ page, language, text }: CodeBlock, index: number): string {
  const [, named] = /^\/\/ (?:\.\/)?([\w./-]+\.[jt]s)\n/.exec(text) ?? []
  return `${page.replaceAll(/[^\w/]/g, '-')}/${named ?? `block-${index}.${language}`}`
}

/** Those of the repository, but code of a page may leave what it makes unused. Plain JavaScript is read, but has no types. */
function settings(): object {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as Settings
  const paths = Object.entries(compilerOptions.paths).map(([name, targets]) => [name, targets.map(target => join(root, target))])
  const looser = { noUnusedLocals: false, noUnusedParameters: false, allowJs: true, paths: Object.fromEntries(paths) }
  return { compilerOptions: { ...compilerOptions, ...looser }, include: ['**/*'], exclude: ['node_modules'] }
}

interface Settings {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> }
}

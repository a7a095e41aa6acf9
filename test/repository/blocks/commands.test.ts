import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { codeBlocks, pages, placeOf, root, type CodeBlock } from './code-block.ts'
import { bare, commandsOf, type Words } from './shell-commands.ts'
import { refusal } from './turnpike-program.ts'

const blocks = codeBlocks()
const scripts = blocks.filter(({ language }) => language === 'bash' || language === 'sh')
const isPrompt = /^\$ /

/** Every command of the pages: whole scripts, and in blocks with output the lines after a `$`. */
const commands = [
  ...scripts,
  ...blocks
    .filter(({ language }) => language === '' || language === 'console')
    .map(block => ({
      ...block,
      text: linesOf(block)
        .filter(line => isPrompt.test(line))
        .map(line => line.replace(isPrompt, ''))
        .join('\n'),
    })),
].flatMap(block => commandsOf(block.text).map(words => ({ place: placeOf(block), page: block.page, words: bare(words) })))

function linesOf({ text }: CodeBlock): readonly string[] {
  return text.split('\n')
}

t.test('a shell can read every script', t => {
  const script = scripts.map(({ text }) => text).join('\n')
  t.ok(scripts.length > 70)
  t.doesNotThrow(() => execFileSync('bash', ['-n'], { input: script, stdio: ['pipe', 'ignore', 'pipe'] }))
  t.end()
})

t.test('every command of turnpike and each of its options exists', async t => {
  const given = commands.flatMap(({ place, words }) => turnpikeWords(words).map(args => ({ place, args })))
  // In texts and tables, too. There, a command may be named without what it needs.
  const inText = pages().flatMap(page =>
    Array.from(readFileSync(join(root, page), 'utf8').matchAll(/`((?:npx )?turnpike [a-z][^`\n]*)`/g), ([, line = '']) => ({
      place: page,
      args: turnpikeWords(commandsOf(line)[0]!)[0]!,
    })),
  )
  t.ok(given.length > 45 && inText.length > 60, `${given.length} in scripts, ${inText.length} in texts`)
  const wrong: string[] = []
  for (const { place, args } of [...given, ...inText]) {
    const problem = await refusal(args)
    if (problem === undefined) continue
    if (!inText.some(each => each.args === args) || !/missing required argument|required option/.test(problem))
      wrong.push(`${place}: turnpike ${args.join(' ')}: ${problem}`)
  }
  t.same(wrong, [])
  t.match(await refusal(['keys', 'create', '--spend-cup', '5']), /unknown option '--spend-cup'/)
  t.match(await refusal(['kees']), /unknown command 'kees'|too many arguments/)
})

/** The arguments of each command of turnpike in a command, which may run in a container or through npm. */
function turnpikeWords(words: Words): readonly Words[] {
  const [program, second, third] = words
  if (program === 'turnpike') return [words.slice(1)]
  if (program === 'npx' && second === 'turnpike') return [words.slice(2)]
  if (program === 'npm' && second === 'create' && third === 'turnpike') return [created(words.slice(3))]
  return words.includes('exec') && words.lastIndexOf('turnpike') > words.indexOf('exec') + 1
    ? [words.slice(words.lastIndexOf('turnpike') + 1)]
    : []
}

/** As create-turnpike/index.js does. */
function created(words: Words): Words {
  return words[0] === 'plugin' ? ['plugin', 'new', ...words.slice(1)] : ['init', ...words]
}

t.test('every script of npm and every file that node runs exists', t => {
  const manifests = ['package.json', 'examples/gateway/package.json', 'examples/plugin-package/package.json'].map(file => {
    const { scripts } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly scripts: Readonly<Record<string, string>> }
    return scripts
  })
  let found = 0
  for (const { place, page, words } of commands) {
    const [program, ...others] = words
    const name = program === 'npm' ? (others[0] === 'run' ? others[1] : /^(?:test|start)$/.exec(others[0] ?? '')?.[0]) : undefined
    if (name !== undefined) t.ok(++found && manifests.some(each => Object.hasOwn(each, name)), `${place}: npm run ${name}`)
    const file = program === 'node' || program?.endsWith('/python') ? others.find(word => !word.startsWith('-')) : undefined
    if (file === undefined) continue
    found++
    // A page may have told readers to save it.
    t.ok(existsSync(join(root, file)) || readFileSync(join(root, page), 'utf8').includes(`as \`${file}\``), `${place}: ${file}`)
  }
  t.ok(found > 25, `${found} scripts and files`)
  t.end()
})

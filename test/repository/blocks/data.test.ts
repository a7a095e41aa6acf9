import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parseAllDocuments } from 'yaml'
import { loadConfig } from '../../../config/load.ts'
import fileCatalog from '../../../plugins/catalogs/file/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { codeBlocks, pages, placeOf, root } from './code-block.ts'

const blocks = codeBlocks()
const inLanguage = (language: string) => blocks.filter(block => block.language === language)
const folder = mkdtempSync(join(tmpdir(), 'turnpike-data-blocks-'))
t.teardown(() => rmSync(folder, { recursive: true }))

t.test('JSON and YAML can be read', t => {
  const json = inLanguage('json')
  t.ok(json.length > 30)
  for (const block of json) t.doesNotThrow(() => parsed(block.text), placeOf(block))
  for (const block of inLanguage('yaml')) for (const { errors } of parseAllDocuments(block.text)) t.same(errors, [], placeOf(block))
  t.end()
})

/** One value, or one on each line. */
function parsed(text: string): unknown {
  return /^\{.*\}\n\{/.test(text)
    ? text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as unknown)
    : JSON.parse(text)
}

t.test('configs in JSON are right', async t => {
  const configs = inLanguage('json').filter(({ text }) => /^\s*\{\s*"(?:server|plugins)":/.test(text))
  t.ok(configs.length > 0)
  process.env['OPENAI_API_KEY'] ??= 'sk-demo'
  for (const block of configs) {
    const path = join(folder, 'gateway.config.json')
    writeFileSync(path, block.text)
    const { problems } = await loadConfig(path)
    t.same(problems, [], placeOf(block))
  }
})

t.test('catalogs in JSON are right', async t => {
  const catalogs = inLanguage('json').filter(({ text }) =>
    /^\s*(?:\[\s*)?\{\s*"model":.*\s*"(?:aliases|endpoints)":|"endpoints": \[/.test(text),
  )
  t.ok(catalogs.length > 1)
  for (const [index, block] of catalogs.entries()) {
    const path = join(folder, `models-${index}.json`)
    writeFileSync(path, JSON.stringify([parsed(block.text)].flat()))
    const under = await gateway({ plugins: [fileCatalog({ path })] })
    t.pass(placeOf(block))
    await under.stop()
  }
})

const reader = `
import ast, configparser, json, sys, tomllib
readers = {'python': ast.parse, 'toml': tomllib.loads, 'ini': lambda text: configparser.ConfigParser(allow_no_value=True).read_string('[top]\\n' + text)}
for block in json.load(sys.stdin):
    try:
        readers[block['language']](block['text'])
    except Exception as error:
        print(f"{block['page']}:{block['line']}: {error}")
`
const absent = spawnSync('python3', ['-c', 'import tomllib']).status === 0 ? false : 'no python3 with tomllib'

t.test('Python, TOML and INI can be read', { skip: absent }, t => {
  const read = blocks.filter(({ language }) => /^(?:python|toml|ini)$/.test(language))
  t.ok(read.length > 5)
  const { stdout, status, stderr } = spawnSync('python3', ['-c', reader], { input: JSON.stringify(read), encoding: 'utf8' })
  t.equal(status, 0, stderr)
  t.equal(stdout, '')
  t.end()
})

t.test('no block is missed, and every language is known to a test', t => {
  for (const page of pages()) {
    const fences = readFileSync(join(root, page), 'utf8').match(/^[ >]*(?:```|~~~)/gm)?.length ?? 0
    t.equal(fences, 2 * blocks.filter(block => block.page === page).length, page)
  }
  // nginx and Docker have no reader here. Blocks without a language are output and pictures.
  const known = ['ts', 'js', 'bash', 'sh', 'console', 'json', 'yaml', 'python', 'toml', 'ini', 'nginx', 'dockerfile', '']
  for (const block of blocks) t.ok(known.includes(block.language), `${placeOf(block)}: ${block.language}`)
  t.end()
})

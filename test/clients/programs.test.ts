import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { programHere } from '../../scripts/clients/language.ts'
import { reportsOf } from '../../scripts/clients/program.ts'
import { Stage } from '../../scripts/clients/stage.ts'

const run = promisify(execFile)

const modules = { openai: 'openai.resources.decisions', anthropic: 'anthropic', 'google-genai': 'google.genai' } as const

/** Those of `npm run test:clients` whose packages `npm ci` and `.ci/run` install: with a vendor of their own API, and of another. */
const programs = [
  { language: 'javascript', client: 'openai', vendors: ['by-chat', 'by-messages'] },
  { language: 'javascript', client: 'anthropic', vendors: ['by-messages', 'by-gemini'] },
  { language: 'python', client: 'openai', vendors: ['by-chat', 'by-gemini'] },
  { language: 'python', client: 'anthropic', vendors: ['by-messages', 'by-responses'] },
  { language: 'python', client: 'google-genai', vendors: ['by-gemini', 'by-chat'] },
] as const

async function isThere(module: string): Promise<boolean> {
  return await run('python3', ['-c', `import ${module}`]).then(
    () => true,
    () => false,
  )
}

t.test('programs of clients hold their scripted conversations', async t => {
  const stage = await Stage.open()
  t.teardown(() => stage.close())
  // All at once, because they spend much of their time waiting before they try again.
  const running = await Promise.all(
    programs.map(async ({ language, client, vendors }) => {
      const skip = language === 'python' && !(await isThere(modules[client])) && `needs the Python package ${client}`
      const runs = skip ? [] : vendors.map(vendor => reportsOf(programHere(language, client), stage, vendor))
      return { name: `${language}/${client}`, skip, runs }
    }),
  )
  for (const { name, skip, runs } of running)
    await t.test(name, { skip }, async t => {
      for (const reports of await Promise.all(runs)) {
        t.ok(reports.length >= 8, 'it says how its checks went')
        for (const { check, failure } of reports) t.equal(failure, undefined, check)
      }
    })
})

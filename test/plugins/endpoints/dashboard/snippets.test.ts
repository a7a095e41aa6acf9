import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { languages, snippetOf } from '../../../../plugins/endpoints/dashboard/app/pages/playground/snippets.ts'
import decisions from '../../../../plugins/endpoints/decisions/index.ts'
import { listeningGateway } from '../../../kit/gateway.ts'

const run = promisify(execFile)
/** Text that is hard to quote. */
const text = `It's "quoted" \\ $HOME \`date\` \${1} %s\n\ttab, naïve “text” \u{1f600} </script> \\' \\" '''`

async function isThere(command: string, ...parameters: readonly string[]): Promise<boolean> {
  return await run(command, parameters).then(
    () => true,
    () => false,
  )
}

/** Runs a snippet as somebody would who pasted it. */
async function output(language: string, code: string, key: string): Promise<string> {
  const environment = { ...process.env, TURNPIKE_KEY: key, NODE_OPTIONS: '' }
  if (language === 'curl') return (await run('bash', ['-c', code], { env: environment })).stdout
  if (language === 'TypeScript')
    return (await run(process.execPath, ['--input-type=module-typescript', '--eval', code], { env: environment })).stdout
  return (await run('python3', ['-c', code], { env: environment })).stdout
}

t.test('what is shown as curl, TypeScript and Python sends the same request', async t => {
  const { apiKey, url, records, recorded, stop } = await listeningGateway({ plugins: [decisions({})] })
  t.teardown(stop)
  const python = await isThere('python3', '-c', 'import openai')
  const curl = await isThere('curl', '--version')
  const requests = [
    { model: 'sandbox/echo', input: text },
    { model: 'sandbox/echo', input: text, stream: true },
    { model: 'sandbox/echo', input: [{ role: 'user', content: text }], temperature: 0.5, metadata: { 'a-b': 'c', d: "e's" }, tools: [] },
  ]
  for (const language of languages) {
    const skip = (language === 'Python' && !python && 'needs the package openai') || (language === 'curl' && !curl && 'needs curl')
    await t.test(language, { skip }, async t => {
      for (const request of requests) {
        const said = await output(language, snippetOf(language, 'responses', url, request), apiKey)
        if (language !== 'curl') t.equal(said.trimEnd(), text.trimEnd())
        else if ('stream' in request) t.match(said, /event: response\.completed/)
        else t.equal(JSON.parse(said).output[0].content[0].text, text)
      }
    })
  }
  await recorded(1)
  t.ok(records.every(({ status }) => status === 200))
})

t.test('decisions, too', async t => {
  const { apiKey, url, stop } = await listeningGateway({ plugins: [decisions({})] })
  t.teardown(stop)
  const request = {
    model: 'sandbox/dm',
    state: { text, nothing: null, yes: true, number: 1.5, empty: {}, list: [] },
    questions: { 'is it': { type: 'noul', instructions: text }, topic: { type: 'choice', criteria: { "it's": null, other: 'x' } } },
  }
  const direct = await fetch(`${url}/v1/systemone`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const { answers } = (await direct.json()) as { answers: object }
  if (await isThere('curl', '--version'))
    t.same(JSON.parse(await output('curl', snippetOf('curl', 'systemone', url, request), apiKey)).answers, answers)
  const code = snippetOf('TypeScript', 'systemone', url, request).replace(
    'console.log(await response.json())',
    'console.log(await response.text())',
  )
  t.same(JSON.parse(await output('TypeScript', code, apiKey)).answers, answers)
  if (await isThere('python3', '-c', 'import requests')) {
    const python = snippetOf('Python', 'systemone', url, request).replace('print(response.json())', 'print(response.text)')
    t.same(JSON.parse(await output('Python', python, apiKey)).answers, answers)
  }
})

t.test('decisions of the public format, with the SDK', async t => {
  const { apiKey, url, records, recorded, stop } = await listeningGateway({ plugins: [decisions({})] })
  t.teardown(stop)
  const request = { model: 'sandbox/dm', input: text, questions: [{ type: 'predicate', name: 'is it', instructions: text }] }
  const python = await isThere('python3', '-c', 'import openai.resources.decisions')
  const curl = await isThere('curl', '--version')
  for (const language of languages) {
    const skip = (language === 'Python' && !python && 'needs the package openai') || (language === 'curl' && !curl && 'needs curl')
    await t.test(language, { skip }, async t => {
      t.match(await output(language, snippetOf(language, 'decisions', url, request), apiKey), /predicate/)
    })
  }
  await recorded(1)
  t.ok(records.every(({ status }) => status === 200))
})

t.test('Python literals mean the same', { skip: !(await isThere('python3', '--version')) && 'needs Python' }, async t => {
  const request = {
    model: 'm',
    input: text,
    stream: true,
    store: false,
    metadata: { 'a-b': "c's" },
    routing: { provider: { sort: 'cost' } },
    user: null,
  }
  const code = snippetOf('Python', 'responses', 'http://127.0.0.1:1', request)
  const reading = `
import ast, json, sys
call = [node for node in ast.walk(ast.parse(sys.argv[1])) if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "create"][0]
print(json.dumps({word.arg: ast.literal_eval(word.value) for word in call.keywords}))`
  const { stdout } = await run('python3', ['-c', reading, code])
  const { routing, user, ...known } = request
  t.same(JSON.parse(stdout), { ...known, extra_body: { routing, user } })
})

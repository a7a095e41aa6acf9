import { execFile } from 'node:child_process'
import t from 'tap'
import { promptsFor } from '../../scripts/agents/agent.ts'
import { Coder } from '../../scripts/agents/coder.ts'
import { Task } from '../../scripts/agents/task.ts'
import { Stage } from '../../scripts/clients/stage.ts'
import { wires } from '../../scripts/clients/vendor/vendor.ts'

const shell = {
  type: 'function',
  name: 'exec_command',
  description: 'Runs a command.',
  parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
}

interface Item {
  readonly type: string
  readonly call_id?: string
  readonly arguments?: string
  readonly content?: readonly { readonly text?: string }[]
}

t.test('the scripted model mends the project on every wire, and only if its thoughts come back', async t => {
  const coder = new Coder()
  const stage = await Stage.open({ model: question => coder.answer(question) })
  t.teardown(() => stage.close())

  const ask = async (wire: string, input: readonly object[]): Promise<{ readonly status: number; readonly output: readonly Item[] }> => {
    const body = {
      model: `${wire}/plain`,
      input,
      tools: [shell],
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
      store: false,
    }
    const headers = { authorization: `Bearer ${stage.apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${stage.url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { output } = (await response.json()) as { output?: readonly Item[] }
    return { status: response.status, output: output ?? [] }
  }
  /** An agent with a shell. Resolves with the model's last words, or with a status other than 200. */
  const work = async (wire: string, task: Task, keeps: (item: Item) => boolean): Promise<string | number | undefined> => {
    const input: object[] = [{ role: 'user', content: promptsFor(task).mend.concat(` It is in the folder ${task.folder}.`) }]
    for (;;) {
      const { status, output } = await ask(wire, input)
      if (status !== 200) return status
      input.push(...output.filter(keeps))
      const calls = output.filter(({ type }) => type === 'function_call')
      if (calls.length === 0) return output.at(-1)?.content?.[0]?.text
      for (const { call_id, arguments: given = '' } of calls) {
        const { cmd } = JSON.parse(given) as { readonly cmd: string }
        input.push({ type: 'function_call_output', call_id, output: await ran(cmd, task.folder) })
      }
    }
  }

  for (const wire of Object.keys(wires))
    await t.test(wire, async t => {
      const task = await Task.begin(t.testdir())
      t.equal(await work(wire, task, () => true), 'The test passed after 3 changes.')
      t.equal(await task.problem(), undefined)
    })
  const task = await Task.begin(t.testdir())
  t.ok(await task.isUntouched())
  t.match(await task.problem(), /Expected src/)
  t.equal(await work('by-responses', task, ({ type }) => type !== 'reasoning'), 400)
})

async function ran(command: string, cwd: string): Promise<string> {
  // The runner of tests tells programs that it started by this.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return await new Promise(resolve => execFile('sh', ['-c', command], { cwd, env }, (_, output, errors) => resolve(`${output}${errors}`)))
}

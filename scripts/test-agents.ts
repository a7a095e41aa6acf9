// Runs coding agents of other makers against a gateway with scripted vendors: `npm run test:agents`, or with the names of some, such as
// `codex` or `claude-code`. Each mends a project of three files whose test fails, in two sittings, across a compaction. Installs them into a
// temporary folder and removes it afterwards; set TURNPIKE_CLIENTS to a folder to install them there and keep them.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promptsFor, type Agent } from './agents/agent.ts'
import { claudeAgent } from './agents/claude-agent.ts'
import { claudeVersion, installClaudeCode } from './agents/claude-code.ts'
import { codexAgent } from './agents/codex-agent.ts'
import { Coder } from './agents/coder.ts'
import { HttpCount } from './agents/http-count.ts'
import { Task } from './agents/task.ts'
import { Stage } from './clients/stage.ts'
import type { Answer } from './clients/vendor/answer.ts'
import type { Question } from './clients/vendor/question.ts'
import { wires, type WireName } from './clients/vendor/vendor.ts'
import { installCodex } from './codex/codex.ts'

/** The newest, and one that falls back to HTTP with less grace. */
const codexVersions = ['0.171.0', '0.144.1']

const wanted = process.argv.slice(2)
const scratch = await mkdtemp(join(tmpdir(), 'turnpike-agents-'))
const folder = process.env['TURNPIKE_CLIENTS'] ?? scratch
await mkdir(folder, { recursive: true })
const agents = await agentsIn(folder)
const coder = new Coder()
const model = (question: Question): Answer => coder.answer(question)
const stage = await Stage.open({ model })
/** Where agents that try WebSocket first have to do without. */
const withoutWebSocket = await Stage.open({ model, webSocket: false })
let passed = 0
let failed = 0

try {
  for (const [index, agent] of agents.entries())
    for (const wire of Object.keys(wires) as WireName[]) {
      const place = join(scratch, `${index}-${wire}`)
      const problem = await problemOf(agent, wire, place).catch((error: unknown) => String(error))
      if (problem === undefined) passed++
      else failed++
      console.log(`${problem === undefined ? 'ok' : 'not ok'} - ${agent.name}, ${wire}`)
      if (problem !== undefined) console.log(`  ${problem.replaceAll('\n', '\n  ')}`)
    }
} finally {
  await Promise.all([stage.close(), withoutWebSocket.close()])
  await rm(scratch, { recursive: true, force: true })
}
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

async function agentsIn(folder: string): Promise<readonly Agent[]> {
  const all: Agent[] = []
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.some(each => name.startsWith(each))
  for (const version of codexVersions.filter(version => isWanted(`codex-${version}`))) {
    const command = await installCodex(join(folder, `codex-${version}`), version)
    all.push(codexAgent(version, command, 'http', 'plain'))
    for (const way of ['http', 'websocket', 'built-in', 'fallback'] as const) all.push(codexAgent(version, command, way, 'gpt-5.5'))
  }
  if (isWanted('claude-code')) {
    const command = await installClaudeCode(join(folder, 'claude-code'))
    for (const name of ['known', 'plain'] as const) all.push(claudeAgent(claudeVersion, command, name))
  }
  return all
}

async function problemOf(agent: Agent, wire: WireName, place: string): Promise<string | undefined> {
  const { url, apiKey } = agent.needs === 'no-websocket' ? withoutWebSocket : stage
  const task = await Task.begin(join(place, 'project'))
  coder.insists = agent.keepsThoughts
  const asked = new HttpCount(url, '/v1/responses')
  try {
    const problem = await agent.work({ task, wire, home: join(place, 'home'), url, apiKey, prompts: promptsFor(task) })
    if (problem !== undefined) return problem
    if (agent.needs === 'websocket' && asked.count > 0) return `It asked ${asked.count} times over HTTP.`
    return await task.problem()
  } finally {
    asked.stop()
  }
}

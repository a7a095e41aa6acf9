import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Codex, type CodexWay } from '../codex/codex.ts'
import type { Agent, Assignment } from './agent.ts'

/** Less than the conversation takes when it has seen the files, and more than it begins with. */
const compactAtTokens = 5_000

/**
 * Codex, with a model that it knows, and so offers its own tool for patches, or with one that it does not know. `fallback`: as
 * the built-in provider, at a gateway without WebSocket.
 */
export function codexAgent(version: string, command: string, way: CodexWay | 'fallback', model: 'gpt-5.5' | 'plain'): Agent {
  return {
    name: `codex ${version}, ${way}, ${model}`,
    needs: way === 'http' ? 'http' : way === 'fallback' ? 'no-websocket' : 'websocket',
    // Older versions ask for none of a model that they do not know.
    keepsThoughts: model === 'gpt-5.5',
    async work({ task, wire, home, url, apiKey, prompts }: Assignment) {
      const settings = `model_auto_compact_token_limit = ${compactAtTokens}`
      const codex = await Codex.configure({
        command,
        home,
        baseUrl: `${url}/v1`,
        apiKey,
        way: way === 'fallback' ? 'built-in' : way,
        settings,
      })
      const look = await codex.turn(`${wire}/${model}`, [prompts.look], task.folder)
      if (look.exitCode !== 0) return `looking: ${look.failure} ${look.errorOutput}`
      if (!(await task.isUntouched())) return 'It changed files that it should only look at.'
      const mend = await codex.turn(`${wire}/${model}`, ['resume', look.threadId, prompts.mend], task.folder)
      if (mend.exitCode !== 0) return `mending: ${mend.failure} ${mend.errorOutput}`
      if (mend.threadId !== look.threadId) return 'It began another thread.'
      if (!hasCompacted(home)) return 'It did not compact.'
      return undefined
    },
  }
}

/** Its own journal says so. */
function hasCompacted(home: string): boolean {
  const journals = globSync('sessions/**/*.jsonl', { cwd: home }).map(file => readFileSync(join(home, file), 'utf8'))
  return journals.some(text => text.includes('"type":"compacted"'))
}

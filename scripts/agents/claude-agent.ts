import { knownNames } from '../clients/stage.ts'
import type { Agent, Assignment } from './agent.ts'
import { ClaudeCode } from './claude-code.ts'

/** Claude Code, with a name that it knows, or with one that it does not know. */
export function claudeAgent(version: string, command: string, name: 'known' | 'plain'): Agent {
  return {
    name: `claude-code ${version}, ${name}`,
    needs: 'http',
    keepsThoughts: true,
    async work({ task, wire, home, url, apiKey, prompts }: Assignment) {
      const model = name === 'known' ? knownNames[wire].claude : `${wire}/plain`
      const claude = await ClaudeCode.configure({ command, home, url, apiKey, model })
      const look = await claude.turn(prompts.look, task.folder)
      if (look.exitCode !== 0) return `looking: ${look.result} ${look.errorOutput}`
      if (!(await task.isUntouched())) return 'It changed files that it should only look at.'
      const compact = await claude.turn('/compact', task.folder, look.sessionId)
      if (!compact.compacted) return `It did not compact: ${compact.result} ${compact.errorOutput}`
      const mend = await claude.turn(prompts.mend, task.folder, look.sessionId)
      if (mend.exitCode !== 0) return `mending: ${mend.result} ${mend.errorOutput}`
      return undefined
    },
  }
}

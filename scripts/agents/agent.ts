import type { WireName } from '../clients/vendor/vendor.ts'
import type { Task } from './task.ts'

/** A coding agent of another maker, in one configuration. */
export interface Agent {
  readonly name: string
  /** `websocket`: its model is asked over WebSocket, and over HTTP not once. `no-websocket`: the gateway has none. */
  readonly needs: 'http' | 'websocket' | 'no-websocket'
  /** It sends the state of the model's thoughts back. */
  readonly keepsThoughts: boolean
  /** Does the work in two sittings, with a compaction between its beginning and its end. Resolves with what went wrong. */
  work(assignment: Assignment): Promise<string | undefined>
}

export interface Assignment {
  readonly task: Task
  readonly wire: WireName
  /** A new folder for the agent's own files. */
  readonly home: string
  /** The gateway's, without a path. */
  readonly url: string
  readonly apiKey: string
  readonly prompts: Prompts
}

export interface Prompts {
  readonly look: string
  readonly mend: string
}

export function promptsFor({ folder }: Task): Prompts {
  return {
    look: `The test of the project in the folder ${folder} fails. Find out why, and change nothing.`,
    mend: 'Now mend the code.',
  }
}

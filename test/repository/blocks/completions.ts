// How code that is not a whole module is completed, so that it compiles. The rules, in this order:
//
// 1. Names that a door of the package exports, and plugins under their names in a config, are imported.
// 2. `…` stands for anything: other members in an object, other statements on a line of its own, otherwise a value.
// 3. A block that begins with the name of a member is the inside of an object. `members` of its page says of which one.
// 4. A block whose first line is a comment with the name of a file is that file, and other blocks of the page may import it.
// 5. What is left is stated here, by page: `before` is put in front of its fragments, `modules` says which file an import of a module gets that
//    readers have under another name.

export interface Completion {
  readonly before?: string
  readonly members?: readonly [start: string, end: string]
  readonly modules?: Readonly<Record<string, string>>
}

const config: Completion = { members: ['export const config = defineConfig({ plugins: [],', '})'] }
const plugin = ["export const plugin = definePlugin({ name: 'acme', options: noOptions,", '})'] as const

export const completions: Readonly<Record<string, Completion>> = {
  'docs/admin-api.md': config,
  'docs/alerts.md': config,
  'docs/deployment.md': config,
  'docs/dashboard.md': { ...config, before: 'declare const gateway: Registrar' },
  'docs/dialects.md': { members: ['export const table: ChatHost = {', '}'] },
  'docs/learn/ship.md': {
    modules: { './src/index.ts': 'examples/word-guard/src/index.ts', 'turnpike-plugin-word-guard': 'examples/word-guard/src/index.ts' },
  },
  'docs/plugins.md': {
    members: plugin,
    modules: {
      './audit-trail.ts': 'examples/small-plugins/audit-trail.ts',
      './queue.ts': 'test/repository/blocks/reader-files/queue.ts',
      './text.ts': 'test/repository/blocks/reader-files/text.ts',
    },
    before: `
      import { ChatSink, parse, webSockets } from '${'test/repository/blocks/reader-files/chat.ts'}'
      import { createDatabase, ShelfKeys } from '${'test/repository/blocks/reader-files/shelf.ts'}'
      import { setTimeout } from 'node:timers/promises'
      import { test } from 'node:test'
      declare const gateway: Registrar
      declare const id: string
      declare const apiKey: string
      declare const headers: Readonly<Record<string, string>>
      declare const sending: object
      declare const channel: { send(text: string): void; onMessage(receive: (text: string) => void): void }
      declare const service: Coordination
      declare function stored(): Promise<readonly SharedChange[]>
      declare function ask(question: readonly [string, DecisionRequest['questions'][string]]): Promise<readonly [string, DecisionAnswer]>
      const noOptions = { type: 'object', additionalProperties: false, properties: {} } as const`,
  },
  'docs/testing.md': {
    modules: {
      '../log-sink.ts': 'examples/small-plugins/log-sink.ts',
      './guardrail.ts': 'examples/small-plugins/guardrail.ts',
      '../guardrail.ts': 'examples/small-plugins/guardrail.ts',
    },
    before: `import { acmeShelf, createDatabase } from '${'test/repository/blocks/reader-files/shelf.ts'}'`,
  },
}

// Runs `conformance` under the test frameworks that plugin authors use, from the packed package, as they have it. The reports must be equal.
//
//   npm run test:frameworks

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'turnpike-frameworks-'))
const node = process.execPath

const plugin = `import { definePlugin, Guardrails, invalidRequest, SortStrategies } from 'turnpike'
import { decisionTexts, requestTexts } from 'turnpike/kit'

const refuse = invalidRequest('This request contains a forbidden word.', 'input', 'invalid_prompt')
const check = texts => (texts.some(({ text }) => text.includes('launch code')) ? { refuse } : { pass: true })

export default definePlugin({
  name: 'turnpike-plugin-demo',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(SortStrategies, { name: 'demo', description: 'The first one first.', first: 'lowest', values: all => all.map(() => 1) })
    gateway.add(Guardrails, {
      name: 'demo',
      enforces: ['redaction'],
      onFailure: 'refuse',
      timeoutMs: 1000,
      seesContent: 'local',
      open: () => ({ input: request => check(requestTexts(request).slots), decision: request => check(decisionTexts(request).slots) }),
    })
  },
})
`

const subject = `{ plugin: plugin({}), inputs: { Guardrails: { caught: ['launch code'] } } }`

/** The test file of each framework, and the command that runs it. */
const frameworks = {
  'node:test': {
    file: 'node.test.mjs',
    lines: `import { test } from 'node:test'\nawait conformance(${subject}, { test, report: 'node.json' })`,
    command: [node, '--test', 'node.test.mjs'],
    report: 'node.json',
  },
  'node:test, detected': {
    file: 'detected.test.mjs',
    lines: `await conformance(${subject}, { report: 'detected.json' })`,
    command: [node, '--test', 'detected.test.mjs'],
    report: 'detected.json',
  },
  tap: {
    file: 'tap.test.mjs',
    lines: `import t from 'tap'\nawait conformance(${subject}, { test: (name, run) => t.test(name, run), report: 'tap.json' })`,
    command: [node, 'node_modules/tap/dist/esm/run.mjs', 'run', '--disable-coverage', '--allow-empty-coverage', 'tap.test.mjs'],
    report: 'tap.json',
  },
  Vitest: {
    file: 'vitest.spec.mjs',
    lines: `import { test } from 'vitest'\nawait conformance(${subject}, { test, report: 'vitest.json' })`,
    command: [node, 'node_modules/vitest/vitest.mjs', 'run', 'vitest.spec.mjs'],
    report: 'vitest.json',
  },
  'Vitest, detected': {
    file: 'detected.spec.mjs',
    lines: `await conformance(${subject}, { report: 'detected-vitest.json' })`,
    command: [node, 'node_modules/vitest/vitest.mjs', 'run', 'detected.spec.mjs'],
    report: 'detected-vitest.json',
  },
} as const

function run(command: readonly string[], cwd = folder): string {
  return execFileSync(command[0]!, command.slice(1), { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

let failed = false
try {
  const [packed] = JSON.parse(run(['npm', 'pack', '--json', '--pack-destination', folder], root)) as readonly {
    readonly filename: string
  }[]
  writeFileSync(join(folder, 'package.json'), '{"name":"turnpike-plugin-demo","version":"1.0.0","type":"module"}')
  run(['npm', 'install', '--no-audit', '--no-fund', join(folder, packed!.filename), 'vitest@4', 'tap@21'])
  writeFileSync(join(folder, 'plugin.mjs'), plugin)
  const reports = new Map<string, string>()
  for (const [name, { file, lines, command, report }] of Object.entries(frameworks)) {
    writeFileSync(join(folder, file), `import { conformance } from 'turnpike/testing'\nimport plugin from './plugin.mjs'\n${lines}\n`)
    try {
      run(command)
      reports.set(name, readFileSync(join(folder, report), 'utf8'))
      const { passed, failed: failures } = JSON.parse(reports.get(name)!) as { readonly passed: number; readonly failed: number }
      console.log(`${name}: ${passed} passed, ${failures} failed`)
    } catch (error) {
      failed = true
      console.error(`${name}: ${(error as { readonly stdout?: string }).stdout ?? String(error)}`)
    }
  }
  if (new Set(reports.values()).size > 1) {
    failed = true
    console.error('The reports differ.')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0

// Runs the conformance suite of the Model Context Protocol against the gateway as a client: `npm run test:mcp`. Installs the suite (52 MB)
// into a temporary folder and removes it afterwards. Set TURNPIKE_MCP to a folder where it is already installed.

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

/**
 * The scenarios of a client that calls tools. The others are about what the gateway does not do: it signs nobody in (OAuth), and answers no
 * questions of a server (elicitation).
 */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  initialize: ['2025-06-18', '2025-11-25'],
  tools_call: ['2025-06-18', '2025-11-25', '2026-07-28'],
  'sse-retry': ['2025-11-25'],
  'request-metadata': ['2026-07-28'],
  'http-standard-headers': ['2026-07-28'],
  'http-custom-headers': ['2026-07-28'],
  'http-invalid-tool-headers': ['2026-07-28'],
  'json-schema-ref-no-deref': ['2026-07-28'],
  'json-schema-2020-12-preservation': ['2025-11-25', '2026-07-28'],
}

const scratch = await mkdtemp(join(tmpdir(), 'turnpike-mcp-'))
const folder = process.env['TURNPIKE_MCP'] ?? scratch
const client = `${execPath} --conditions=turnpike-source ${join(import.meta.dirname, 'mcp/conformance-client.ts')}`
let failed = 0

try {
  if (!process.env['TURNPIKE_MCP']) {
    await writeFile(join(folder, 'package.json'), '{"private": true}')
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', suite], { cwd: folder })
  }
  const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  for (const [scenario, versions] of Object.entries(scenarios))
    for (const version of versions) {
      const options = ['client', '--command', client, '--scenario', scenario, '--spec-version', version, '--timeout', '60000', '--verbose']
      const told = await run(execPath, [program, ...options], { cwd: scratch }).then(
        ({ stdout }) => ({ holds: true, text: stdout }),
        (error: { stdout?: string; stderr?: string }) => ({ holds: false, text: `${error.stdout ?? ''}${error.stderr ?? ''}` }),
      )
      if (!told.holds) failed++
      console.log(`${told.holds ? 'ok' : 'not ok'} - ${scenario}, ${version}`)
      if (!told.holds) console.log(told.text.replaceAll(/^/gm, '  '))
    }
} finally {
  await rm(scratch, { recursive: true, force: true })
}
console.log(failed === 0 ? 'all scenarios passed' : `${failed} scenarios failed`)
process.exitCode = failed === 0 ? 0 : 1

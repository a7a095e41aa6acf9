// Runs clients of other makers, in their own languages, against a gateway with scripted vendors: `npm run test:clients`, or with the names
// of some, such as `python/openai` or `go`. Installs them into a temporary folder and removes it afterwards; set TURNPIKE_CLIENTS to a folder
// to install them there and keep them.

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './clients/checks.ts'
import { clients, type Client } from './clients/client.ts'
import { install, programIn } from './clients/language.ts'
import { reportsOf } from './clients/program.ts'
import { Stage } from './clients/stage.ts'
import { Table } from './clients/table.ts'

const wanted = process.argv.slice(2)
const chosen = clients.filter(({ name }) => wanted.length === 0 || wanted.some(each => name === each || name.startsWith(`${each}/`)))
if (chosen.length === 0)
  throw new Error(
    `Expected names of clients, such as ${clients[0]!.name}, got ${wanted.join(' ')}. There are:\n${clients.map(({ name }) => name).join('\n')}`,
  )

const scratch = await mkdtemp(join(tmpdir(), 'turnpike-clients-'))
const folder = process.env['TURNPIKE_CLIENTS'] ?? scratch
await mkdir(folder, { recursive: true })
const stage = await Stage.open()
const table = new Table()

try {
  for (const client of chosen) await run(client)
} finally {
  await stage.close()
  await rm(scratch, { recursive: true, force: true })
}
console.log(`\n${table.text()}\n`)
console.log(`${table.passed} passed, ${table.failed} failed`)
process.exitCode = table.failed > 0 ? 1 : 0

async function run({ name, language, folder: part, args, vendors }: Client): Promise<void> {
  console.log(`== ${name}`)
  let place: string
  try {
    place = await install(language, part, folder)
  } catch (error) {
    return show(name, 'none', [{ check: 'text', failure: `It could not be installed: ${String(error).slice(-1_500)}` }])
  }
  for (const vendor of vendors) show(name, vendor, await reportsOf(programIn(place, language, args), stage, vendor))
}

function show(name: string, vendor: string, reports: readonly Report[]): void {
  table.add(name, vendor, reports)
  for (const { check, failure, absent } of reports) {
    if (failure !== undefined) console.log(`not ok - ${name} with ${vendor}: ${check}\n  ${failure.replaceAll('\n', '\n  ')}`)
    else console.log(`ok - ${name} with ${vendor}: ${check}${absent === undefined ? '' : ` # ${absent}`}`)
  }
}

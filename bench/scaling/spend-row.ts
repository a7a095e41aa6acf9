import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeConstants } from './written-constants.ts'
import { startPostgres } from '../../test/plugins/stores/postgres-server.ts'

// How many capped requests a second one organization's row in Postgres takes, and how many all rows together, from several processes.

const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '1,2,4,8' },
    'at-once': { type: 'string', default: '1,16,128' },
    duration: { type: 'string', default: '5' },
  },
})
const worker = fileURLToPath(new URL('spend-row-process.ts', import.meta.url))
const manyOrgs = 1000
const postgres = await startPostgres()
const rows: { readonly processes: number; readonly atOnce: number; readonly one: number; readonly many: number }[] = []
try {
  console.log('| processes | at once in each | one row | ' + `${manyOrgs} rows |` + '\n| --- | --- | --- | --- |')
  for (const processes of values.processes.split(',').map(Number))
    for (const atOnce of values['at-once'].split(',').map(Number)) {
      const [one, many] = [await measure(processes, atOnce, 1), await measure(processes, atOnce, manyOrgs)]
      rows.push({ processes, atOnce, one: Math.round(one), many: Math.round(many) })
      console.log(`| ${processes} | ${atOnce} | ${Math.round(one)} | ${Math.round(many)} |`)
    }
} finally {
  await postgres.stop()
}

writeConstants('row', { rows })

/** Requests a second that were held and settled. */
async function measure(processes: number, atOnce: number, orgs: number): Promise<number> {
  const url = await postgres.createDatabase()
  // The first one makes the tables.
  await run(url, 1, 1, 1)
  const rates = await Promise.all(Array.from({ length: processes }, () => run(url, atOnce, orgs, Number(values.duration))))
  return rates.reduce((sum, rate) => sum + rate, 0)
}

async function run(url: string, atOnce: number, orgs: number, seconds: number): Promise<number> {
  const settings = ['--conditions=turnpike-source', worker, url, `${atOnce}`, `${orgs}`, `${seconds}`]
  const child = spawn(process.execPath, settings, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  for await (const part of child.stdout.setEncoding('utf8')) text += part
  return Number(text)
}

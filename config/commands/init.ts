import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from '../command.ts'
import { confirm } from '../scaffold/confirm.ts'
import { completedManifest, dependsOnTurnpike, gatewayFolder, ignored, type GatewayChoices } from '../scaffold/gateway-folder.ts'
import { writeNew } from '../scaffold/new-files.ts'
import { nextSteps } from '../scaffold/next-steps.ts'

interface InitOptions extends Partial<GatewayChoices> {
  readonly yes?: true
}

export default command('init', 'Make a gateway: its config, package.json, tsconfig.json, .env.example and .gitignore. Overwrites nothing.')
  .argument('[folder]', 'The folder for the files. Default: this one.', '.')
  .option('--docker', 'Also make a Dockerfile.')
  .option('--no-docker', 'Make no Dockerfile, and do not ask.')
  .option('--compose', 'Also make compose.yaml, with the Dockerfile that it needs.')
  .option('--no-compose', 'Make no compose.yaml, and do not ask.')
  .option('-y, --yes', 'Ask nothing. Without a terminal, nothing is asked anyway.')
  .action(makeGateway)

async function makeGateway(folder: string, options: InitOptions): Promise<void> {
  const manifest = completedManifest(folder)
  if (manifest !== undefined) {
    writeFileSync(join(folder, 'package.json'), manifest)
    console.log(`Completed ${join(folder, 'package.json')}, which listed only packages\n`)
  }
  const { written, kept } = writeNew(folder, gatewayFolder(folder, await choices(options)))
  if (written.length > 0) console.log(`Wrote ${written.map(file => join(folder, file)).join(', ')}\n`)
  const untouched = kept.filter(file => manifest === undefined || file !== 'package.json')
  if (untouched.length > 0) console.log(`Kept what was there: ${untouched.map(file => join(folder, file)).join(', ')}\n`)
  const missing = unignored(folder)
  if (missing.length > 0) console.log(`Add to ${join(folder, '.gitignore')}, which lacks them: ${missing.join(', ')}\n`)
  console.log(nextSteps(folder, [dependsOnTurnpike(folder) ? 'npm install' : 'npm install turnpike', 'npx turnpike start']))
  console.log('For a vendor, copy .env.example to .env, and set its API key there.')
}

/** The flags, and for the rest the answers of the person at the terminal. */
async function choices({ yes, docker, compose }: InitOptions): Promise<GatewayChoices> {
  const ask = async (given: boolean | undefined, question: string): Promise<boolean> => given ?? (yes ? false : await confirm(question))
  const isComposed = await ask(compose, 'Make compose.yaml, with a Dockerfile?')
  return { compose: isComposed, docker: isComposed || (await ask(docker, 'Make a Dockerfile?')) }
}

function unignored(folder: string): readonly string[] {
  const path = join(folder, '.gitignore')
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split(/\r?\n/).map(bare)
  return ignored.filter(line => !lines.includes(bare(line)))
}

function bare(line: string): string {
  return line.trim().replace(/^\//, '').replace(/\/$/, '')
}

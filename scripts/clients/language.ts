import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type LanguageName = 'javascript' | 'python' | 'go' | 'java' | 'rust'

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment?: Readonly<Record<string, string>>
}

interface Language {
  /** The file that names the packages of a client, with their versions. */
  readonly manifest: string
  /** Puts them into the folder of the client. */
  readonly install: readonly (readonly [file: string, ...args: readonly string[]])[]
  /** True if that also compiles the program, so that it has to be done again. */
  readonly compiles: boolean
  program(folder: string, args: readonly string[]): Command
}

const run = promisify(execFile)
const sources = fileURLToPath(new URL('.', import.meta.url))
const installLimitMs = 900_000

const languages: Readonly<Record<LanguageName, Language>> = {
  javascript: {
    manifest: 'package.json',
    // Some clients bring their program in a package of its own, which a script puts in its place.
    install: [['npm', 'install', '--no-audit', '--no-fund', '--silent', '--legacy-peer-deps']],
    compiles: false,
    program: (folder, args) => ({ file: process.execPath, args: ['main.js', ...args], cwd: folder }),
  },
  python: {
    manifest: 'requirements.txt',
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
    ],
    compiles: false,
    program: (folder, args) => ({
      file: join(folder, 'venv/bin/python'),
      args: ['main.py', ...args],
      cwd: folder,
      environment: { PYTHONPATH: join(folder, '..'), PYTHONDONTWRITEBYTECODE: '1' },
    }),
  },
  go: {
    manifest: 'go.mod',
    install: [['go', 'build', '-o', 'client', '.']],
    compiles: true,
    program: (folder, args) => ({ file: join(folder, 'client'), args, cwd: folder }),
  },
  java: {
    manifest: 'pom.xml',
    install: [['mvn', '--quiet', '--batch-mode', 'package', 'dependency:copy-dependencies']],
    compiles: true,
    program: (folder, args) => ({ file: 'java', args: ['-cp', 'target/classes:target/dependency/*', 'Main', ...args], cwd: folder }),
  },
  rust: {
    manifest: 'Cargo.toml',
    install: [['cargo', 'build', '--quiet', '--locked']],
    compiles: true,
    program: (folder, args) => ({ file: join(folder, 'target/debug/client'), args, cwd: folder }),
  },
}

/** Copies a client into `under`, and installs it if another manifest, or none, was installed there before. */
export async function install(name: LanguageName, client: string, under: string): Promise<string> {
  const { install: steps, compiles, manifest } = languages[name]
  const folder = join(under, name, client)
  // What its clients share, too.
  await cp(join(sources, name), join(under, name), { recursive: true, filter: path => !path.includes('__pycache__') })
  const wanted = await readFile(join(folder, manifest), 'utf8')
  const record = join(folder, 'installed')
  const found = await readFile(record, 'utf8').catch(() => undefined)
  if (!compiles && found === wanted) return folder
  for (const [file, ...args] of steps) {
    const options = { cwd: folder, timeout: installLimitMs, maxBuffer: 2 ** 26 }
    await run(file.includes('/') ? join(folder, file) : file, args, options)
  }
  await writeFile(record, wanted)
  return folder
}

export function programIn(folder: string, name: LanguageName, args: readonly string[]): Command {
  return languages[name].program(folder, args)
}

/** The same from this repository, with the packages that are on this machine anyway. */
export function programHere(name: 'javascript' | 'python', client: string): Command {
  const { file, ...command } = languages[name].program(join(sources, name, client), [])
  return { ...command, file: name === 'python' ? 'python3' : file }
}

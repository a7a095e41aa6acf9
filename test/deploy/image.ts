import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeBase } from './base-image.ts'
import { BuildContext } from './build-context.ts'
import { pairsOf, stagesOf, wordsOf, type Stage, type Step } from './dockerfile.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
export const dockerfile = readFileSync(join(repository, 'deploy/docker/Dockerfile'), 'utf8')
const stepLimitMs = 900_000

/** How a stage looks after its last step. */
export interface Image {
  readonly root: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly user: string
  readonly volumes: readonly string[]
  readonly healthCheck: readonly string[]
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
}

/** Follows the Dockerfile without an engine: a folder stands for each stage, and its RUN steps run in a chroot of it. */
export class ImageBuild {
  readonly #folder = mkdtempSync(join(tmpdir(), 'turnpike-image-'))
  readonly #context = new BuildContext(repository)
  readonly #roots = new Map<string, string>()

  /** `given`: folders that stand for stages by their names, whose steps are not run. */
  build(given: Readonly<Record<string, string>> = {}): Image {
    for (const [name, root] of Object.entries(given)) this.#roots.set(name, root)
    const stages = stagesOf(dockerfile)
    const images = stages
      .filter(({ name }) => name === undefined || !this.#roots.has(name))
      .map(stage => new StageBuild(stage, this.#rootOf(stage), this.#context, this.#roots).run())
    return images.at(-1)!
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #rootOf({ name = 'image', base, steps }: Stage): string {
    if (!/^node:24-.*slim$/.test(base)) throw new Error(`expected an image node:24-…-slim as a base, but got ${base}`)
    const root = join(this.#folder, name)
    makeBase(root, { hasNpm: steps.some(({ instruction, text }) => instruction === 'RUN' && /\bnpm (ci|install)\b/.test(text)) })
    this.#roots.set(name, root)
    return root
  }
}

class StageBuild {
  readonly #steps: readonly Step[]
  readonly #root: string
  readonly #context: BuildContext
  readonly #roots: ReadonlyMap<string, string>
  readonly #environment: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  readonly #volumes: string[] = []
  #folder = '/'
  #user = '0:0'
  #healthCheck: readonly string[] = []
  #entrypoint: readonly string[] = []
  #command: readonly string[] = []

  constructor({ steps }: Stage, root: string, context: BuildContext, roots: ReadonlyMap<string, string>) {
    this.#steps = steps
    this.#root = root
    this.#context = context
    this.#roots = roots
  }

  run(): Image {
    for (const step of this.#steps) this.#take(step)
    return {
      root: this.#root,
      folder: this.#folder,
      environment: this.#environment,
      user: this.#user,
      volumes: this.#volumes,
      healthCheck: this.#healthCheck,
      entrypoint: this.#entrypoint,
      command: this.#command,
    }
  }

  #take(step: Step): void {
    const { instruction, text } = step
    switch (instruction) {
      case 'WORKDIR':
        this.#folder = posix.resolve(this.#folder, text)
        return void mkdirSync(join(this.#root, this.#folder), { recursive: true })
      case 'COPY':
        return this.#copy(step)
      case 'RUN':
        return this.#run(text)
      case 'ENV':
        return void Object.assign(this.#environment, Object.fromEntries(pairsOf(text)))
      case 'USER':
        return void (this.#user = text)
      case 'VOLUME':
        return void this.#volumes.push(text)
      case 'HEALTHCHECK':
        return void (this.#healthCheck = wordsOf(text.replace(/^CMD /, '')))
      case 'ENTRYPOINT':
        return void (this.#entrypoint = wordsOf(text))
      case 'CMD':
        return void (this.#command = wordsOf(text))
      case 'EXPOSE':
      case 'LABEL':
        return
      default:
        throw new Error(`this test does not know the instruction ${instruction}`)
    }
  }

  #copy({ flags: { from }, text }: Step): void {
    const words = text.split(/\s+/)
    const target = join(this.#root, posix.resolve(this.#folder, words.at(-1)!))
    const other = from === undefined ? undefined : this.#roots.get(from)
    if (from !== undefined && other === undefined) throw new Error(`COPY --from=${from}: there is no such stage`)
    for (const source of words.slice(0, -1)) {
      if (other === undefined) this.#context.copy(source, target)
      else if (isAbsolute(source) && source.endsWith('/')) copyContents(join(other, source), target)
      else throw new Error(`expected a folder such as /gateway/ to copy from a stage, but got ${source}`)
    }
  }

  #run(text: string): void {
    const script = `mount -t proc proc "$1/proc" && mkdir -p "$1/root/.npm" ~/.npm && mount --bind ~/.npm "$1/root/.npm" && exec chroot "$1" /usr/bin/env -i --chdir="$2" "\${@:4}" /bin/sh -c "$3"`
    const environment = { ...this.#environment, ...ofInstalls(), HOME: '/root' }
    const words = ['--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', script, 'run', this.#root, this.#folder, text]
    command('unshare', [...words, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)])
  }
}

/** Copies belong to root. */
function copyContents(from: string, to: string): void {
  const names = readdirSync(from)
  command('cp', ['--archive', ...names.map(name => join(from, name)), to])
  command('chown', ['--recursive', '--no-dereference', '0:0', ...names.map(name => join(to, name))])
}

/** How this machine reaches a registry. */
function ofInstalls(): Readonly<Record<string, string>> {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'npm_config_registry', 'NODE_EXTRA_CA_CERTS']
  const given = names.flatMap(name => (process.env[name] ? [[name, process.env[name]] as const] : []))
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  return { ...Object.fromEntries(given), ...(certificates && { npm_config_cafile: certificates }) }
}

function command(program: string, words: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8', timeout: stepLimitMs })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

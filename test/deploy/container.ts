import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Image } from './image.ts'

/** Why no container can be run here. False if one can. */
export const noContainers: string | false = canRun() ? false : 'needs root, and the right to make namespaces: unshare'

const limitMs = 120_000

function canRun(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  return (
    spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'sh', '-ec', 'ip link set lo up; mount -t proc proc /proc']).status === 0
  )
}

/** As an engine starts it with `--read-only --tmpfs /tmp`: only /tmp and the data can be written. */
const script = `
  root=$1 data=$2 rights=$3 user=$4 folder=$5
  shift 5
  ip link set lo up
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
  mount --bind "$data" "$root$folder/data"
  mount -o "remount,bind,$rights" "$root$folder/data"
  mount -o remount,bind,ro "$root"
  exec setpriv --no-new-privs chroot --userspec="$user" "$root" /usr/bin/env -i --chdir="$folder" "$@"`

/** A process in namespaces of its own, in the file system of an image, as its user. The process is the first one in there. */
export class Container {
  readonly #image: Image
  readonly #launcher: ChildProcess
  readonly ended: Promise<{ readonly exitCode: number | null; readonly output: string; readonly errors: string }>
  #output = ''
  #errors = ''

  constructor(image: Image, { data, isReadOnly = false, command = image.command, environment = {} }: ContainerOptions) {
    this.#image = image
    const { root, folder, user, entrypoint } = image
    const [owner = '', group = ''] = user.split(':')
    chownSync(data, Number(owner), Number(group))
    const words = [...this.#variables(environment), ...entrypoint, ...command]
    const namespaces = ['--mount', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child']
    this.#launcher = spawn(
      'unshare',
      [...namespaces, 'sh', '-ec', script, 'run', root, data, isReadOnly ? 'ro' : 'rw', user, folder, ...words],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    this.#launcher.stdout!.setEncoding('utf8').on('data', (part: string) => void (this.#output += part))
    this.#launcher.stderr!.setEncoding('utf8').on('data', (part: string) => void (this.#errors += part))
    this.ended = once(this.#launcher, 'close').then(([exitCode]) => ({
      exitCode: exitCode as number | null,
      output: this.#output,
      errors: this.#errors,
    }))
  }

  /** Resolves once its output matches. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const found = pattern.exec(this.#output)
      if (found) return found
      if (this.#launcher.exitCode !== null || performance.now() > deadline)
        throw new Error(`the container did not say ${pattern}:\n${this.#output}${this.#errors}`)
      await delay(20)
    }
  }

  /** Sends a signal to its first process. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.#pid, name)
  }

  /** Runs another process in it, as an engine does for a health check or for `exec`. */
  exec(words: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
    const [owner = '', group = ''] = this.#image.user.split(':')
    const target = ['--target', String(this.#pid), '--mount', '--pid', '--net', '--root', '--setuid', owner, '--setgid', group]
    const launch = ['/usr/bin/env', '-i', `--chdir=${this.#image.folder}`, ...this.#variables(environment), ...words]
    return spawn('nsenter', [...target, ...launch], { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** The exit code and the output of `exec`. */
  async run(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<{ code: number; output: string }> {
    const child = this.exec(words, environment)
    const [output, errors, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')])
    return { code: code as number, output: output + errors }
  }

  /** A process that has become another user does not end with the one that started it. */
  async kill(): Promise<void> {
    const pid = this.#first
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    this.#launcher.kill('SIGKILL')
    await this.ended
  }

  get #pid(): number {
    const pid = this.#first
    if (pid === undefined) throw new Error(`the container has no process:\n${this.#output}${this.#errors}`)
    return pid
  }

  /** Its first process, as this machine counts. */
  get #first(): number | undefined {
    const path = `/proc/${this.#launcher.pid}/task/${this.#launcher.pid}/children`
    const [pid] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : []
    return pid ? Number(pid) : undefined
  }

  #variables(more: Readonly<Record<string, string>>): readonly string[] {
    return Object.entries({ ...this.#image.environment, ...more }).map(([name, value]) => `${name}=${value}`)
  }
}

export interface ContainerOptions {
  /** The folder of the volume. */
  readonly data: string
  readonly isReadOnly?: boolean
  /** Instead of the one in the image. */
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

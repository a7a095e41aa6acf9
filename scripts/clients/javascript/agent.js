import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { png } from './checks.js'

/** A program that works in a folder of files, with a home of its own. */
export class Agent {
  #command
  #environment
  folder = mkdtempSync(join(tmpdir(), 'agent-'))
  one = join(this.folder, 'one.txt')
  two = join(this.folder, 'two.txt')
  picture = join(this.folder, 'picture.png')

  constructor(command, environment) {
    this.#command = join(process.cwd(), command)
    this.#environment = environment
    writeFileSync(this.one, 'the first file')
    writeFileSync(this.two, 'the second file')
    writeFileSync(this.picture, Buffer.from(png, 'base64'))
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }))
  }

  /** Its exit code and output. */
  run(args, more = {}) {
    return new Promise(resolve => {
      const options = { cwd: this.folder, env: this.#env(more), timeout: 180_000, maxBuffer: 2 ** 26 }
      const child = execFile(this.#command, args, options, (error, stdout, stderr) =>
        resolve({ code: error ? (error.code ?? -1) : 0, stdout, stderr }),
      )
      child.stdin.end()
    })
  }

  /** Ends it once its output shows `text`, or after `delayMs`. */
  interrupt(args, text, delayMs) {
    return new Promise(resolve => {
      const child = spawn(this.#command, args, { cwd: this.folder, env: this.#env(), stdio: ['ignore', 'pipe', 'ignore'], detached: true })
      // It may have processes of its own.
      const end = signal => process.kill(-child.pid, signal)
      const timers = [setTimeout(() => end('SIGKILL'), delayMs)]
      let seen = ''
      child.stdout.on('data', piece => {
        seen += piece
        if (!seen.includes(text) || timers.length > 1) return
        end('SIGINT')
        // Some ask whether one means it.
        timers.push(setTimeout(() => end('SIGKILL'), 3_000))
      })
      child.once('close', () => {
        for (const timer of timers) clearTimeout(timer)
        resolve(seen)
      })
    })
  }

  #env(more) {
    return { PATH: process.env.PATH, HOME: this.folder, TMPDIR: this.folder, LANG: 'C.UTF-8', NO_COLOR: '1', ...this.#environment, ...more }
  }
}

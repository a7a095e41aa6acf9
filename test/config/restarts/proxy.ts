import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from './free-ports.ts'

export type ProxyName = 'nginx' | 'haproxy'

/** Why the proxies cannot be tested here. False if they can. */
export const noProxies: string | false = (['nginx', 'haproxy'] as const).every(name => programOf(name) !== undefined)
  ? false
  : 'nginx or haproxy is not installed'

const startLimitMs = 30_000

/** A real nginx or HAProxy with the config that the docs have. Only the addresses are others. */
export class Proxy {
  readonly name: ProxyName
  readonly url: string
  readonly #child: ChildProcess
  readonly #folder: string
  #output = ''

  private constructor(name: ProxyName, port: number, child: ChildProcess, folder: string) {
    this.name = name
    this.url = `http://127.0.0.1:${port}`
    this.#child = child
    this.#folder = folder
    for (const output of [child.stdout!, child.stderr!]) output.on('data', chunk => void (this.#output += chunk))
  }

  static async start(name: ProxyName, gatewayPorts: readonly number[]): Promise<Proxy> {
    const folder = mkdtempSync(join(tmpdir(), `turnpike-${name}-`))
    const [port] = await freePorts(1)
    const file = join(folder, name === 'nginx' ? 'nginx.conf' : 'haproxy.cfg')
    writeFileSync(file, configOf(name, port!, gatewayPorts))
    const child = spawn(programOf(name)!, argumentsOf(name, folder, file), { stdio: ['ignore', 'pipe', 'pipe'] })
    const proxy = new Proxy(name, port!, child, folder)
    try {
      await proxy.#listens(port!)
      return proxy
    } catch (error) {
      await proxy.stop()
      throw error
    }
  }

  /** Its output: nginx logs its errors there. */
  get output(): string {
    return this.#output
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const gone = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await gone
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #listens(port: number): Promise<void> {
    const deadline = performance.now() + startLimitMs
    for (;;) {
      if (this.#child.exitCode !== null || performance.now() > deadline) throw new Error(`${this.name} did not start:\n${this.#output}`)
      const socket = connect(port, '127.0.0.1')
      try {
        await once(socket, 'connect')
        return
      } catch {
        await sleep(20)
      } finally {
        socket.destroy()
      }
    }
  }
}

function programOf(name: ProxyName): string | undefined {
  const found = [`/usr/sbin/${name}`, `/usr/local/sbin/${name}`, `/usr/bin/${name}`].find(path => existsSync(path))
  return found !== undefined && spawnSync(found, ['-v']).status === 0 ? found : undefined
}

function argumentsOf(name: ProxyName, folder: string, file: string): readonly string[] {
  if (name === 'haproxy') return ['-f', file]
  // It runs in the foreground, as any user, and touches nothing outside of the folder.
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(each => `${each}_temp_path ${folder}/${each};`)
  const text = readFileSync(file, 'utf8').replace('http {', `http {\n  access_log off;\n  ${paths.join('\n  ')}`)
  writeFileSync(file, text)
  return ['-p', folder, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid; error_log stderr info;`]
}

/** The file of the docs with the addresses of this test. Each has to be there. */
function configOf(name: ProxyName, port: number, gatewayPorts: readonly number[]): string {
  const file = name === 'nginx' ? 'nginx.conf' : 'haproxy.cfg'
  const [listens, server] =
    name === 'nginx' ? [/(?<= listen )80(?=;)/, /^ +server 10\.0\.0\.\d:8080.*$/gm] : [/(?<= bind ):80$/m, /^ +server gateway\d .*$/gm]
  const text = readFileSync(fileURLToPath(new URL(`../../../deploy/proxies/${file}`, import.meta.url)), 'utf8')
  const servers = text.match(server) ?? []
  if (servers.length !== 3 || !listens.test(text))
    throw new Error(`deploy/proxies/${file} has no address to listen on, or not three servers.`)
  let index = 0
  return text
    .replace(listens, `127.0.0.1:${port}`)
    .replace(server, line => (index < gatewayPorts.length ? line.replace(/10\.0\.0\.\d:8080/, `127.0.0.1:${gatewayPorts[index++]}`) : ''))
}

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The Dockerfile calls these. */
const tools = ['sh', 'env', 'rm', 'mkdir', 'mv', 'cp', 'ln', 'chmod', 'chown', 'cat', 'uname']
/** The image of Node.js has these, too, and a gateway does not need them. */
const leftovers = [
  'opt/yarn-v1.22.22/bin/yarn',
  'usr/local/bin/corepack',
  'usr/local/bin/docker-entrypoint.sh',
  'usr/local/bin/yarn',
  'usr/local/bin/yarnpkg',
  'usr/local/include/node/node.h',
  'usr/local/lib/node_modules/corepack/package.json',
  'usr/local/lib/node_modules/npm/package.json',
]
/** Of glibc, which native packages may load. */
const libraries = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2', 'librt.so.1', 'libutil.so.1']
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Makes a root file system that stands for the image node:24-trixie-slim: the Node.js of this repository, and the few tools of this machine
 * that the Dockerfile calls, with their libraries. It has less than the image, so what works here finds what it needs there, too. `hasNpm`:
 * npm works.
 */
export function makeBase(root: string, { hasNpm }: { readonly hasNpm: boolean }): void {
  for (const folder of [
    'dev',
    'etc/ssl/certs',
    'opt',
    'proc',
    'root',
    'tmp',
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'usr/local/bin',
    'usr/sbin',
  ])
    mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${folder}`, join(root, folder))
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const [name, minor] of Object.entries({ null: 3, zero: 5, random: 8, urandom: 9 }))
    run('mknod', ['--mode=666', join(root, 'dev', name), 'c', '1', String(minor)])
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  for (const file of ['/etc/hosts', '/etc/resolv.conf', '/etc/nsswitch.conf', certificates])
    if (existsSync(file)) writeFileSync(join(root, file), readFileSync(file))
  const home = dirname(run('ldd', [process.execPath]).match(/\/\S+\/libc\.so\.6/)![0])
  for (const library of libraries) if (existsSync(join(home, library))) add(realpathSync(join(home, library)), join(root, home, library))
  for (const tool of tools) addProgram(root, `/usr/bin/${tool}`, `/usr/bin/${tool}`)
  addProgram(root, process.execPath, '/usr/local/bin/node')
  if (hasNpm) addNpm(root)
  for (const file of leftovers) {
    if (existsSync(join(root, file))) continue
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
}

/** A program with the libraries that it loads. */
function addProgram(root: string, path: string, target: string): void {
  add(realpathSync(path), join(root, target))
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' })
  for (const [library] of stdout.matchAll(/(?<=\s)\/\S+/g)) add(realpathSync(library), join(root, library))
}

function addNpm(root: string): void {
  const home = dirname(dirname(realpathSync(run('sh', ['-c', 'command -v npm']).trim())))
  const modules = join(root, 'usr/local/lib/node_modules')
  mkdirSync(modules, { recursive: true })
  cpSync(home, join(modules, 'npm'), { recursive: true, dereference: true })
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
}

function add(path: string, target: string): void {
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  cpSync(path, target)
}

function run(program: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`)
  return stdout
}

#!/usr/bin/env node
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { isatty } from 'node:tty'

const wanted = 24
const [major] = process.versions.node.split('.')
if (Number(major) < wanted) {
  console.error(`turnpike needs Node.js ${wanted} or later. This is ${process.versions.node}.`)
  process.exit(1)
}

// Until the command can keep them, signals to reload would end it. Where there is a terminal, SIGHUP means that it has closed.
const reloads = isatty(0) || isatty(1) ? ['SIGUSR2'] : ['SIGHUP', 'SIGUSR2']
if (process.argv[2] === 'start' || process.argv[2] === 'dev') for (const signal of reloads) process.on(signal, () => {})

// The first process of a container gets only the signals that it handles. Without this, nothing could stop it before it serves.
if (process.pid === 1)
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, (name, number) => {
      if (process.listenerCount(name) === 1) process.exit(128 + number)
    })

nodeModule.enableCompileCache()
await import('./own-package.js')
// The installed package has no sources.
const sources = new URL('../config/main.ts', import.meta.url)
await import(existsSync(sources) ? sources.href : '../dist/config/main.js')

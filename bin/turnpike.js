#!/usr/bin/env node
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'

const wanted = 24
const [major] = process.versions.node.split('.')
if (Number(major) < wanted) {
  console.error(`turnpike needs Node.js ${wanted} or later. This is ${process.versions.node}.`)
  process.exit(1)
}

nodeModule.enableCompileCache()
await import('./own-package.js')
// The installed package has no sources.
const sources = new URL('../config/main.ts', import.meta.url)
await import(existsSync(sources) ? sources.href : '../dist/config/main.js')

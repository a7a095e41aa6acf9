#!/usr/bin/env node
// `npm create turnpike …` is `turnpike init …`, and `npm create turnpike plugin …` is `turnpike plugin new …`.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [first, ...others] = process.argv.slice(2)
const given = first === 'plugin' ? ['plugin', 'new', ...others] : ['init', ...process.argv.slice(2)]
const folder = dirname(createRequire(import.meta.url).resolve('turnpike/package.json'))
process.argv.splice(2, Infinity, ...given)
await import(pathToFileURL(join(folder, 'bin', 'turnpike.js')).href)

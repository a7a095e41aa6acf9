import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licenses of all packages whose code is among these modules, as they require of those who distribute it. */
export function noticesOf(modules, place = 'dist/') {
  const folders = new Set(modules.flatMap(id => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/')) ?? []))
  const notices = [...folders].sort().map(noticeOf)
  return `${place} contains code of these packages.\n\n${notices.join('\n')}`
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = globSync('{LICENSE,LICENCE,license,licence,NOTICE,COPYING}*', { cwd: folder }).filter(file =>
    existsSync(join(folder, file)),
  )
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim())
  return [`## ${name} ${version} (${license})`, ...texts].join('\n\n') + '\n'
}

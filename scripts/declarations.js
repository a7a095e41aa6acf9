import { globSync, readFileSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Removes the declarations in a folder that none of these entries leads to. */
export function pruneDeclarations(folder, entries) {
  const reached = new Set(entries.map(entry => join(folder, `${entry}.d.ts`)))
  for (const file of reached)
    for (const name of importsOf(file)) if (name.startsWith('.')) reached.add(declarationOf(resolve(dirname(file), name)))
  for (const file of globSync('**/*.d.ts', { cwd: folder })) if (!reached.has(join(folder, file))) rmSync(join(folder, file))
  removeEmptyFolders(folder)
}

/** Removes the marks of private members, with which the classes of two copies would be different types. */
export function openClasses(folder) {
  for (const path of globSync('**/*.d.ts', { cwd: folder }).map(file => join(folder, file)))
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/^\s+#private;\n/gm, ''))
}

/** Lets these entries bring the types of Node.js, so that a project needs no `"types": ["node"]`. */
export function bringNodeTypes(folder, entries) {
  for (const path of entries.map(entry => join(folder, `${entry}.d.ts`)))
    writeFileSync(path, `/// <reference types="node" />\n${readFileSync(path, 'utf8')}`)
}

function importsOf(file) {
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*(["'])([^"']+)\1/g)
  return Array.from(imports, ([, , name]) => name)
}

function declarationOf(path) {
  return path.replace(/\.[jt]s$/, '.d.ts')
}

function removeEmptyFolders(folder) {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isDirectory()))
    removeEmptyFolders(join(folder, name))
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { doors, root } from './doors.ts'

/** Compiles the declarations of all doors in one program and lends their folder to `use`. */
export async function withDeclarationFiles<T>(use: (folder: string) => T): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-doors-'))
  try {
    const project = join(folder, 'tsconfig.json')
    const compilerOptions = { outDir: folder, rootDir: root, noCheck: true, typeRoots: [join(root, 'node_modules/@types')] }
    const files = doors.map(({ file }) => join(root, file))
    await writeFile(project, JSON.stringify({ extends: join(root, 'tsconfig.build.json'), compilerOptions, include: [], files }))
    await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/lib/tsc.js'), '--project', project])
    return use(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

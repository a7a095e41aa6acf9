import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeNew } from '../../../config/scaffold/new-files.ts'
import { pluginKinds, type PluginKind } from '../../../config/scaffold/plugin-kinds.ts'
import { namesFrom } from '../../../config/scaffold/plugin-names.ts'
import { pluginPackage } from '../../../config/scaffold/plugin-package.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The name of a plugin of each kind. Every second one is of an organization. */
export function nameFor({ name }: PluginKind): string {
  return pluginKinds.findIndex(kind => kind.name === name) % 2 === 0 ? `own-${name}` : `@example/turnpike-own-${name}`
}

/** A folder with a package for each kind, made as `turnpike plugin new` does. */
export class MadePlugins implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'turnpike-made-'))

  constructor() {
    for (const kind of pluginKinds)
      writeNew(join(this.path, kind.name), pluginPackage(kind, namesFrom(nameFor(kind))!, { license: 'Apache-2.0', ci: true }))
  }

  /** Lets them import this repository as the packages `turnpike` and `turnpike-sdk`, from its sources. */
  link(): void {
    mkdirSync(join(this.path, 'node_modules'))
    for (const name of ['turnpike', 'turnpike-sdk']) symlinkSync(root, join(this.path, 'node_modules', name), 'dir')
    symlinkSync(join(root, 'node_modules', '@types'), join(this.path, 'node_modules', '@types'), 'dir')
    const { compilerOptions } = JSON.parse(readFileSync(join(this.path, 'guardrail', 'tsconfig.json'), 'utf8')) as {
      readonly compilerOptions: object
    }
    const ours = { customConditions: ['turnpike-source'], rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true }
    const options = { ...compilerOptions, skipLibCheck: true, ...ours }
    const include = ['*/src', '*/test', '*/gateway.config.ts']
    writeFileSync(join(this.path, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include }))
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

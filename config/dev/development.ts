import { join, relative, resolve } from 'node:path'
import type { Gateway } from '../../core/gateway.ts'
import type { RequestRecord } from '../../core/index.ts'
import { localFiles } from '../fresh-modules.ts'
import type { LoadedConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { processMasks } from '../process-output.ts'
import type { ServingWays } from '../serving-ways.ts'
import { withImported } from './imported-files.ts'
import { InspectingLens } from './inspector/inspecting-lens.ts'
import { Inspector } from './inspector/inspector.ts'
import { shadow } from './inspector/shadow.ts'
import { ownPlugin, ownPluginName } from './own-plugin.ts'
import { Paint } from './paint.ts'
import { ReadableLog } from './readable-log.ts'
import { whenIdKnown } from './request-ids.ts'
import { requestLine } from './request-line.ts'
import { SavedFiles } from './saved-files.ts'

/** Streams of a gateway that was replaced are not cut off: whoever saves often would lose them. */
const retireMs = 60 * 60_000

/** How a gateway is served while somebody works on its config and its plugins. */
export class Development implements ServingWays {
  readonly retireMs = retireMs
  /** The next save brings a gateway without the mistake. */
  readonly outlivesFaults = true
  readonly inspector: Inspector | undefined
  readonly #paint = new Paint(process.stdout)
  readonly #log = new ReadableLog(this.#paint, text => void process.stdout.write(text))
  readonly #saved: SavedFiles
  #files: ReadonlySet<string> = new Set()

  /** Called with the reason for the log when a file that the config uses has changed. */
  onSaved: (why: string) => void = () => {}

  constructor(hasInspector: boolean) {
    this.inspector = hasInspector ? new Inspector(processMasks) : undefined
    this.#saved = new SavedFiles(files => this.onSaved(`saved ${files.map(shortened).join(', ')}`))
  }

  async open(config: LoadedConfig): Promise<Gateway> {
    const { inspector } = this
    const { folder } = config
    this.#watch([resolve(config.file), join(folder, '.env'), ...localFiles()])
    const lens = inspector && new InspectingLens(inspector, ownPluginName)
    const gateway = await openGateway(this.#developed(config), { lens, writeLog: this.#log.line, showsExceptions: true })
    return inspector ? inspected(gateway, inspector) : gateway
  }

  /** Keys in memory would be lost with their gateway. */
  async carry({ keys: before }: Gateway, { keys: after, log }: Gateway): Promise<void> {
    if (before.persistent) return
    if (after.persistent)
      return log.warn('the new config keeps keys in a database, so those in memory are gone. Make one: npx turnpike keys create')
    for (const key of await before.list()) if (!(await after.find(key.id))) await after.add(key)
  }

  /** Watches also what a config that was refused imports. */
  refused(): void {
    this.#watch([...this.#files, ...localFiles()])
  }

  /** Resolves at the next save. Undefined if no file of a config is known, so that nothing could be waited for. */
  nextSave(): Promise<void> | undefined {
    this.refused()
    if (this.#files.size === 0) return undefined
    return new Promise(resolve => (this.onSaved = () => resolve()))
  }

  #watch(files: Iterable<string>): void {
    this.#files = withImported(files)
    this.#saved.watch(this.#files)
  }

  /** With a line for each request in the place of the usual ones, and with the messages and stacks of all plugins. */
  #developed(config: LoadedConfig): LoadedConfig {
    const plugins = config.plugins.filter(use => !(use?.isDefault === true && use.plugin?.name === 'console-log'))
    const trustedPlugins = [...new Set(plugins.flatMap(use => use?.plugin?.name ?? []))]
    const own = ownPlugin(record => this.#heard(record))
    return { ...config, plugins: [...plugins, own], server: { ...config.server, trustedPlugins } }
  }

  #heard(record: RequestRecord): void {
    process.stdout.write(requestLine(record, this.#paint))
    this.inspector?.closed(record)
  }
}

function shortened(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path
}

/** The same gateway, whose requests run in the inspector's sight. */
function inspected(gateway: Gateway, inspector: Inspector): Gateway {
  const { http } = gateway
  const listener: typeof http.listener = (message, response) => {
    const inspection = inspector.unnamed()
    // A request that is refused before its route runs, by a policy source for example.
    whenIdKnown(response, id => {
      if (!inspection.isEmpty) inspector.named(inspection, id)
    })
    inspector.within({ inspection }, () => http.listener(message, response))
  }
  return shadow(gateway, { http: shadow(http, { listener }) })
}

import { Option } from 'commander'
import { command, configOption, numberFrom, type ConfigOption } from '../command.ts'
import { ConfigError, failureText } from '../errors.ts'
import { loadConfig } from '../load.ts'
import { holdReloads } from '../signals.ts'
import { SingleProcess } from '../single-process.ts'
import { addAddressOptions, overrideOf, type StartOptions } from '../workers/start-options.ts'
import { Development } from '../dev/development.ts'
import { InspectorServer, usualInspectorPort } from '../dev/inspector-server.ts'

interface DevOptions extends ConfigOption, StartOptions {
  readonly inspector: boolean
  readonly inspectorPort?: number
}

const portFrom = numberFrom('a number from 0 to 65535', port => Number.isInteger(port) && port <= 65_535)

export default addAddressOptions(
  command('dev', 'Serve the gateway, reload it when its files are saved, and show what plugins do.').addOption(configOption()),
)
  .addOption(
    new Option(
      '--inspector-port <number>',
      `The port of the inspector, on this machine only. Default: ${usualInspectorPort}, or any free one.`,
    ).argParser(portFrom),
  )
  .option('--no-inspector', 'Serve without the inspector.')
  .action(develop)

async function develop({ config: path, inspector: hasInspector, inspectorPort, ...options }: DevOptions): Promise<void> {
  holdReloads()
  const environment = { ...process.env }
  // Reloads and the inspector are of one process.
  const override = { ...overrideOf(options), workers: 1 }
  const development = new Development(hasInspector)
  const page = development.inspector && (await InspectorServer.open(development.inspector, inspectorPort))
  for (;;) {
    const serving = new SingleProcess(path, override, environment, development)
    try {
      // Only what is read anew can be read again, and tells of its files.
      await serving.start(await loadConfig(path, override, { isFresh: true }))
      development.onSaved = why => void serving.reload(why)
      break
    } catch (error) {
      const saved = development.nextSave()
      if (!saved || !(error instanceof ConfigError)) throw error
      console.error(`turnpike: ${failureText(error)}\n\nThe gateway starts when you save the file that is at fault.`)
      await saved
    }
  }
  if (page) console.log(`The inspector is on ${page.url}`)
}

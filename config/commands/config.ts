import { Option } from 'commander'
import { builtIn } from '../built-in.ts'
import { command, commandGroup, configOption, type ConfigOption } from '../command.ts'
import { loadConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'
import { addStartOptions, overrideOf, type StartOptions } from '../workers/start-options.ts'

interface ExplainOptions extends ConfigOption, StartOptions {
  readonly json?: boolean
}

const explain = addStartOptions(
  command('explain', 'Print every setting and every option of every plugin, and where its value comes from. Creates no files.').addOption(
    configOption(),
  ),
)
  .addOption(new Option('--json', 'Print JSON.'))
  .action(async ({ config: path, json = false, ...options }: ExplainOptions) => {
    const config = await loadConfig(path, overrideOf(options))
    const { explainConfig, explanationLines } = await import('../explain/values.ts')
    const gateway = await openGateway(config, { logLevel: 'silent', createFiles: false, lookOnly: true })
    try {
      const values = explainConfig(config, gateway.plugins)
      console.log(json ? JSON.stringify(values, undefined, 2) : explanationLines(values).join('\n'))
    } finally {
      await gateway.stop()
    }
  })

const plugins = command('plugins', 'List the plugins of this package by the names that JSON and YAML configs may use.').action(() => {
  for (const [name, folder] of Object.entries(builtIn)) console.log(`${name.padEnd(22)}  turnpike/plugins/${folder}`)
})

export default commandGroup('config', 'Explain a config.').addCommand(explain).addCommand(plugins)

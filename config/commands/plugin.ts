import { commandGroup } from '../command.ts'
import create from '../scaffold/new-plugin.ts'

export default commandGroup('plugin', 'Make plugins.').addCommand(create)

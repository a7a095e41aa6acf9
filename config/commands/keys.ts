import { command } from '../command.ts'
import create from '../keys/create.ts'
import { disable, enable } from '../keys/disable.ts'
import list from '../keys/list.ts'
import rotate from '../keys/rotate.ts'
import show from '../keys/show.ts'

const keys = command('keys', 'Make, list and change API keys. A running gateway follows within a second.')
for (const each of [create, list, show, disable, enable, rotate]) keys.addCommand(each)

export default keys

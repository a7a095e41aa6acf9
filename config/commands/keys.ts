import { commandGroup } from '../command.ts'
import create from '../keys/create.ts'
import remove from '../keys/delete.ts'
import { disable, enable } from '../keys/disable.ts'
import list from '../keys/list.ts'
import rotate from '../keys/rotate.ts'
import show from '../keys/show.ts'
import update from '../keys/update.ts'

const keys = commandGroup('keys', 'Create, list and change API keys. A running gateway follows within a second.')
for (const each of [create, list, show, update, disable, enable, rotate, remove]) keys.addCommand(each)

export default keys

import { listingGroup } from '../command.ts'
import create from '../keys/create.ts'
import remove from '../keys/delete.ts'
import { disable, enable } from '../keys/disable.ts'
import list from '../keys/list.ts'
import rotate from '../keys/rotate.ts'
import show from '../keys/show.ts'
import update from '../keys/update.ts'

const description = 'Create, list and change API keys. A running gateway sees changes within a second.'

export default listingGroup('keys', description, list, [create, show, update, disable, enable, rotate, remove])

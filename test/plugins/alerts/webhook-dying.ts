// A gateway that is killed while a target gets an alert.
import { setTimeout } from 'node:timers/promises'
import { webhookGateway } from './webhook-gateway.ts'
import { alertOf } from './webhook-stage.ts'

const [, , file = '', url = ''] = process.argv
const { tell } = await webhookGateway({ file }, url)
await tell(alertOf('demo'))
await setTimeout(600_000)

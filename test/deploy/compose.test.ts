import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { parse } from 'yaml'
import { isLong } from '../kit/long.ts'
import { composeModule, go } from './tools.ts'

const file = fileURLToPath(new URL('../../deploy/compose/compose.yaml', import.meta.url))
const skip = !isLong ? 'npm run test:long gets the schema of compose files for it' : go === undefined && 'needs Go'

t.test('the compose file is as the schema of compose files says', { skip, timeout: 600_000 }, async t => {
  const schema = JSON.parse(readFileSync(join(composeModule()!, 'schema/compose-spec.json'), 'utf8')) as object
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema)
  const compose = parse(readFileSync(file, 'utf8')) as { readonly services: object }
  t.ok(validate(compose), JSON.stringify(validate.errors))
  t.notOk(validate({ ...compose, services: { gateway: { imgae: 'turnpike' } } }), 'the schema sees mistakes')
})

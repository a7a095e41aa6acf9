import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { undocumented } from '../../scripts/reference/api-report.ts'
import { declaredText } from '../../scripts/reference/declaration-text.ts'
import { declaredApi } from '../../scripts/reference/declared-api.ts'
import { withDeclarationFiles } from '../../scripts/reference/declaration-files.ts'
import { root } from '../../scripts/reference/doors.ts'
import { referenceFiles } from '../../scripts/reference/files.ts'

const committed = (file: string): string => readFileSync(join(root, file), 'utf8')
const apis = await withDeclarationFiles(declaredApi)

t.test('the doors are as their reports and pages say', async t => {
  const files = referenceFiles(apis)
  t.same(globSync(['test/fixtures/api/*.md', 'docs/reference/*.md'], { cwd: root }).sort(), [...files.keys()].sort())
  for (const [file, text] of files)
    t.equal(committed(file), text, `${file}: run \`npm run docs\`, and review what the change means for users`)
})

t.test('the declarations in reports can be read back', async t => {
  for (const { door, exported } of apis)
    for (const { name, text, members } of exported) {
      const pathsOf = (each: typeof members): readonly string[] => each.map(({ path }) => path)
      const paths = pathsOf(declaredText(name, text).members)
      if (paths.join() !== pathsOf(members).join()) t.same(paths, pathsOf(members), `${door.address}: ${name}`)
    }
})

t.test('every name and member is documented', async t => {
  t.same(undocumented(apis), [], 'expected a doc comment for each')
})

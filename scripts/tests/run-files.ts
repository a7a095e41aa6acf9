// Runs the test files in TURNPIKE_TEST_FILES in one process, one after the other. The comments tell scripts/tests/outcome.ts where a file
// begins and how long it took. The argument is unique, also among runs: tap makes names of folders (`t.testdir`) from the command line, and two
// processes must not get the same.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

for (const file of JSON.parse(process.env['TURNPIKE_TEST_FILES']!) as readonly string[]) {
  t.comment(`begin ${file}`)
  const start = performance.now()
  try {
    await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    t.fail(`${file} cannot be loaded`, { error })
  }
  // Tests of one level run in turn, so this one comes after those of the file.
  await t.test('end', { silent: true }, async () => {})
  t.comment(`took ${Math.round(performance.now() - start)} ms`)
}

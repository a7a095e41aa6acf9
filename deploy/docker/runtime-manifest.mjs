// Makes the packages for Postgres and Valkey dependencies of the image, in the versions that the tests ran with.

import { readFileSync, writeFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
for (const name of ['pg', '@redis/client']) {
  manifest.dependencies[name] = manifest.devDependencies[name]
  delete manifest.devDependencies[name]
  delete manifest.peerDependencies[name]
}
writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`)

// Makes the packages for Postgres, Valkey and Prometheus dependencies of the image, in the versions that the tests ran with.

import { readFileSync, writeFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
for (const name of ['pg', '@redis/client', '@prometheus-io/client']) {
  manifest.dependencies[name] = manifest.devDependencies[name]
  delete manifest.devDependencies[name]
  delete manifest.peerDependencies[name]
}
writeFileSync('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`)

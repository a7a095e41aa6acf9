import { hash } from 'node:crypto'
import t from 'tap'
import { Keys } from '../../../plugins/stores/valkey/keys.ts'
import { everyScript } from '../../../plugins/stores/valkey/scripts/every.ts'

// Gateways of this version and the one before use one Valkey (docs/upgrades.md). If you changed a script or the name of a key, make sure that an
// older gateway can run its own scripts on the same keys at the same time; if it cannot, give what changed other names. Then put the new
// fingerprint here.

t.test('keys and scripts are those of the version before', t => {
  const keys = new Keys('turnpike:')
  const names = [
    keys.place('group', 'bucket'),
    keys.window('group', 'bucket'),
    keys.batchOf('group', 'process'),
    keys.generation('part'),
    keys.processes,
    keys.batchOfProcess('process'),
    keys.batchOfCounts('process'),
    keys.counts,
    keys.sums,
    keys.shared,
    keys.channel,
  ]
  const scripts = everyScript.map(({ source }) => source.replaceAll(/\s+/g, ' '))
  t.equal(hash('sha256', JSON.stringify([names, scripts])), 'd6431af195a1c1cc7a07ac3fb5807f007a9816caba78e23415947b1f9437de5a')
  t.end()
})

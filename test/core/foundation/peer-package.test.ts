import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { requirePeer } from '../../../core/kit.ts'

t.test('a package that is there passes, one that is missing is named with the command', async t => {
  requirePeer('demo', 'undici', 'for the demo')
  t.throws(() => requirePeer('demo', '@example/absent', 'for the demo'), {
    message: 'plugin demo needs the package @example/absent for the demo. Install it: npm install @example/absent',
  })
})

t.test('without the packages of the clouds, only what needs one fails, and at start', async t => {
  const program = fileURLToPath(new URL('peer-package-absent.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=turnpike-source', program], { timeout: 300_000 })
  t.strictSame(JSON.parse(stdout), {
    'bedrock with access keys': 'started',
    'bedrock with an API key': 'started',
    'azure with a key': 'started',
    'bedrock with a profile':
      'plugin bedrock(bedrock) needs the package @aws-sdk/credential-provider-node for profiles, roles and the default credential chain. Install it: npm install @aws-sdk/credential-provider-node',
    'azure with entra':
      'plugin azure(azure) needs the package @azure/identity for the option entra. Install it: npm install @azure/identity',
    vertex:
      'plugin vertex(vertex) needs the package google-auth-library for Google credentials. Install it: npm install google-auth-library',
  })
})

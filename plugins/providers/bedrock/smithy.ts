import { createRequire } from 'node:module'
import type * as Config from '@smithy/core/config'
import type * as EventStreams from '@smithy/eventstream-codec'
import type * as Signatures from '@smithy/signature-v4'

const require = createRequire(import.meta.url)

/** The vendor's packages, loaded on first use: they take longer to load than the rest of this plugin. */
export const smithy = {
  codec(): EventStreams.EventStreamCodec {
    const { EventStreamCodec } = require('@smithy/eventstream-codec') as typeof EventStreams
    return new EventStreamCodec(
      bytes => (typeof bytes === 'string' ? bytes : Buffer.from(bytes as Uint8Array).toString('utf8')),
      text => Buffer.from(text, 'utf8'),
    )
  },
  signatures(): typeof Signatures {
    return require('@smithy/signature-v4') as typeof Signatures
  },
  config(): typeof Config {
    return require('@smithy/core/config') as typeof Config
  },
}

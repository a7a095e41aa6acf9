// The gateway that `npm start` serves: every plugin of this repository.

import { defaults, defineConfig } from 'turnpike/config'
import fileCatalog from 'turnpike/plugins/catalogs/file'

export default defineConfig({
  server: {
    // Only this machine; `0.0.0.0` is every interface.
    host: '127.0.0.1',
    port: 8080,
    // The admin API and the dashboard have a port of their own. `admin: false` turns them off.
    admin: { host: '127.0.0.1', port: 8081 },
  },
  plugins: [
    // Keys and responses in ./data/turnpike.db, the rest in memory; the endpoints; the sandbox; one log line a request; and every
    // provider whose key is in the environment.
    ...defaults(),
    // Over the bundled catalog: contracts, private models, prices of your own. The file may be absent.
    fileCatalog({ path: './data/models.json', optional: true }),
  ],
})

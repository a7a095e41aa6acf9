// GET /v1/vitals tells monitors how the process is doing, in the text format of Prometheus.

import { definePlugin, Routes } from 'turnpike'
import { Vitals } from 'turnpike/kit'

export default definePlugin({
  name: 'acme-vitals',
  contracts: { Routes: 1 },
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { vitals: Vitals },
  setup(gateway, _options, { vitals }) {
    gateway.add(Routes, {
      method: 'GET',
      path: '/v1/vitals',
      auth: 'key',
      surface: null,
      handle() {
        const { eventLoop, memory, streams } = vitals.read()
        const lines = [
          `acme_event_loop_p99_seconds ${eventLoop.p99Ms / 1_000}`,
          `acme_memory_bytes ${memory.rssBytes}`,
          `acme_open_streams ${streams}`,
        ]
        return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: `${lines.join('\n')}\n` }
      },
    })
  },
})

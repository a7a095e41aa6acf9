import { definePlugin, Guardrails } from '../../../core/index.ts'
import { certifiedOnly } from '../../../core/kit.ts'

/** Enforces zero data retention: only endpoints that the catalog lists with a zero-data-retention policy see the request. */
export default definePlugin({
  name: 'zdr',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    gateway.add(Guardrails, {
      name: 'zdr',
      enforces: ['zdr'],
      onFailure: 'refuse',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: ({ caller: { policy } }) =>
        policy.zdr.value
          ? certifiedOnly({
              rule: `Zero data retention is on for this API key (set by the ${policy.zdr.source})`,
              missing: 'a certified policy for it',
              certificateOf: ({ zdr }) => zdr,
              // The vendor would keep the prompt for 24 hours.
              excludes: ['extended_cache'],
            })
          : undefined,
    })
  },
})

import { definePlugin, Guardrails } from '../../../core/index.ts'
import { certifiedOnly } from '../../../core/kit.ts'

/** Enforces HIPAA mode: only endpoints that the catalog lists with a business associate agreement see the request. */
export default definePlugin({
  name: 'hipaa',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      mediaUrls: {
        type: 'boolean',
        description:
          'true: requests in HIPAA mode may name images and files by URL, whose host then learns who asks. Default: false, so only inline data is accepted.',
      },
    },
  },
  setup(gateway, { mediaUrls = false }) {
    gateway.add(Guardrails, {
      name: 'hipaa',
      enforces: ['hipaa'],
      onFailure: 'refuse',
      timeoutMs: 1_000,
      seesContent: 'local',
      open: ({ caller: { policy } }) =>
        policy.hipaa.value
          ? certifiedOnly({
              rule: `HIPAA mode is on for this API key (set by the ${policy.hipaa.source})`,
              missing: 'a business associate agreement',
              certificateOf: ({ hipaa }) => hipaa,
              excludes: mediaUrls ? [] : ['media_urls'],
            })
          : undefined,
    })
  },
})

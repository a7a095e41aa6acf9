/** `safetySettings`: the content that the vendor filters, and from which probability. */
export const safetySettingsOption = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['category', 'threshold'],
    properties: {
      category: { type: 'string', pattern: '^HARM_CATEGORY_[A-Z_]+$', description: 'Such as `HARM_CATEGORY_HARASSMENT`.' },
      threshold: { enum: ['BLOCK_LOW_AND_ABOVE', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_ONLY_HIGH', 'BLOCK_NONE', 'OFF'] },
    },
  },
  description: "Content filters to send with every request. Default: the vendor's defaults.",
} as const

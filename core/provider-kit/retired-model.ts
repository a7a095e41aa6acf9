/** What may stand between `model` and its end; a retired parameter or tool of a model is the request's fault. */
const otherwise = String.raw`\b(?:parameter|param|field|argument|option|property|tool|function|feature|endpoint|header|value|support)s?\b`
const ended = String.raw`decommissioned|discontinued|retired|sunset|end[ -]of[ -](?:its[ -])?life|no longer (?:available|accessible|supported|offered|served|active|exists)|(?:has been|was|is) (?:deprecated|removed|shut ?down)`

/**
 * Matches an error's code or sentence when the vendor has taken the model out of service, or never serves it to this account.
 * That is kind `not-found`, whatever the status: other endpoints may still have the model.
 */
export const retiredModel = new RegExp(
  String.raw`model_?(?:decommissioned|deprecated|retired|not_?active|not_?available|discontinued)|non-serverless model|\bmodels?\b(?:(?!${otherwise})[^]){0,200}?\b(?:${ended})\b|marked .{0,40}as legacy`,
  'i',
)

/** Words that must not come between `model` and its end: a retired parameter or tool is the request's fault. */
const otherwise = String.raw`\b(?:parameter|param|field|argument|option|property|tool|function|feature|endpoint|header|value|support)s?\b`
const ended = String.raw`decommissioned|discontinued|retired|sunset|end[ -]of[ -](?:its[ -])?life|no longer (?:available|accessible|supported|offered|served|active|exists)|(?:has been|was|is) (?:deprecated|removed|shut ?down)`

/**
 * Matches an error's code or message when the vendor has retired the model, or does not serve it to this account.
 * That is kind `not-found` whatever the status, because other endpoints may still have the model.
 */
export const retiredModel = new RegExp(
  String.raw`model_?(?:decommissioned|deprecated|retired|not_?active|not_?available|discontinued)|non-serverless model|\bmodels?\b(?:(?!${otherwise})[^]){0,200}?\b(?:${ended})\b|marked .{0,40}as legacy`,
  'i',
)

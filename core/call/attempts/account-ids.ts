const hidden = '***'
const uuid = String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`

/** Ids that are recognizable anywhere in a text. The first group is kept. */
const shapes: readonly RegExp[] = [
  // org-…, proj_…, user_…
  /(?<![\w-])((?:org|organization|proj|project|user|acct|account|team|workspace|tenant|wrkspc|svcacct)[-_])(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{6,}/g,
  // The account in a cloud resource's name, and everything after it.
  /(?<![\w-])(arn:[\w-]*:[\w-]*:[\w-]*:)[\w-]+:[^\s"'`,;)\]}<>]*/g,
  /(\/subscriptions\/)[^\s"'`,;)\]}<>]+/gi,
  /(?<![\w/-])(projects\/)[\w.:-]+/g,
  /(\/projects\/)\d{6,}/g,
  /([?&]project=)[\w.:-]+/g,
  // The host name of an Azure resource, and the name of a Google service account.
  /(?<![\w.-])()[\w-]+(?=\.(?:openai|cognitiveservices|services\.ai)\.azure\.com\b)/gi,
  /(?<![\w.-])()[\w.-]+@[\w-]+(?=\.iam\.gserviceaccount\.com\b)/g,
]

/** Ids that are recognizable by the word before them: an account's number or UUID, or any quoted name. */
const named = new RegExp(
  String.raw`(?<![A-Za-z])((?:team|organi[sz]ation|org|project|subscription|tenant|directory|account|workspace|user|customer|(?:api )?key)(?:[ _-]?(?:id|number|name))?["'\x60]?\s{0,2}[:=]?\s{0,2}["'\x60(]?)(?:${uuid}|\d{6,})`,
  'gi',
)
const quoted =
  /(?<![A-Za-z])((?:organi[sz]ation|project|subscription|tenant|account|workspace|resource)(?:[ _-]?(?:id|number|name))? ["'`])[\w.:-]+(?=["'`])/gi

/** Texts without any of these words have no such id, and most have none. */
const hints =
  /org|proj|user|acc|team|workspace|tenant|wrkspc|svcacct|arn:|subscription|directory|customer|key|resource|azure|gserviceaccount/i

/** Masks the ids of the operator's vendor accounts: vendors often name the organization, project, and user in their errors. */
export function withoutAccountIds(text: string): string {
  if (!hints.test(text)) return text
  let masked = text
  for (const shape of shapes) masked = masked.replace(shape, `$1${hidden}`)
  return masked.replace(named, `$1${hidden}`).replace(quoted, `$1${hidden}`)
}

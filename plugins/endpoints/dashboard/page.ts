/** The only HTML that is served. `main`: the address of the app. All addresses are relative, so that the dashboard works below any path. */
export function pageHtml(main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Turnpike</title>
<link rel="icon" href="app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="app/style.css">
<script type="module" src="${main}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard needs JavaScript. Without it, use the admin API or the turnpike command.</p></noscript>
</body>
</html>
`
}

/** Only what the gateway itself serves is loaded and run, and no other page can frame it. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The page of the inspector. `main`: the address of its program. */
export function inspectorHtml(main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Inspector · Turnpike</title>
<link rel="icon" href="app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="app/style.css">
<script type="module" src="${main}"></script>
</head>
<body>
<noscript><p>The inspector needs JavaScript.</p></noscript>
<div id="app"></div>
</body>
</html>
`
}

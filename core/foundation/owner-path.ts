/** The owner of what a key's requests store: its user, or else its team, or else its organization. Encoded, so that no name passes for another path. */
export function ownerPath({
  org,
  team,
  user,
}: {
  readonly org: string
  readonly team?: string | undefined
  readonly user?: string | undefined
}): string {
  const path = user ? [org, 'user', user] : team ? [org, 'team', team] : [org]
  return path.map(encodeURIComponent).join('/')
}

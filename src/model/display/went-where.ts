/** Where a message went and what it is there: ` → orders as 77d0c2e5-…`; empty where that isn't known. Not escaped. */
export function wentWhere({ to, new_id }: { to: string | null; new_id: string | null }): string {
  return `${to === null ? '' : ` → ${to}`}${new_id === null ? '' : ` as ${new_id}`}`;
}

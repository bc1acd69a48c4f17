/** Names the field at a path: `first_name` is "First name", and `headers.0.value` "Headers". */
export function labelOf(path: string[], labels: Record<string, string>): string {
  const item = path.findIndex((part) => /^\d+$/.test(part))
  const name = path.at(item === -1 ? -1 : item - 1) ?? ''
  const text = name.replaceAll('_', ' ')
  return labels[name] ?? text.charAt(0).toUpperCase() + text.slice(1)
}

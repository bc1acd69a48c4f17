/** The order matters: Edge also claims to be Chrome, and Chrome to be Safari. */
const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

export function deviceName(user_agent: string): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(user_agent))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (!browser) return user_agent.slice(0, 60) || 'Unknown device'
  return system ? `${browser} on ${system}` : browser
}

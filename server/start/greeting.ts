export interface Greeting {
  /** The base address without its path. */
  address: string
  /** Only at the first start. */
  first_key: string | undefined
  /** Only while nobody can sign in. */
  setup_token: string | undefined
}

export function formatGreeting({ address, first_key, setup_token }: Greeting): string {
  const lines = [
    '',
    'Parley is ready.',
    '',
    `  Base address   ${address}/api/v1`,
    `  Dashboard      ${address}/`,
    `  Documentation  ${address}/docs`,
    '',
    ...(setup_token
      ? [
          `  Set up         ${address}/setup/${setup_token}`,
          '                 Open this link to become the owner. It works once, for a day, until the next start.',
          '',
        ]
      : []),
  ]
  if (!first_key) return lines.join('\n')
  return [
    ...lines,
    `  API key        ${first_key}`,
    "                 Copy this key now. You won't be able to see it again.",
    '                 To create another one: npx parley key create --workspace Default',
    '',
    '  Try it:',
    `  curl -H 'Authorization: Bearer ${first_key}' ${address}/api/v1/contacts`,
    '',
  ].join('\n')
}

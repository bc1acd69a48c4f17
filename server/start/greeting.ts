import { product } from '../product.ts'
import type { First } from './first-workspace.ts'
import { receptionist } from './receptionist.ts'

export interface Greeting {
  /** The base address without its path. */
  address: string
  first: First
  /** Only while there are no people. */
  setup_token: string | undefined
}

/** For `parley serve --json`. */
export function greetingAsJson({ address, first, setup_token }: Greeting): string {
  return JSON.stringify({
    base_url: `${address}/api/v1`,
    dashboard_url: `${address}/`,
    docs_url: `${address}/docs`,
    setup_url: setup_token ? `${address}/setup/${setup_token}` : null,
    api_key: first.api_key ?? null,
    agent_id: first.agent_id ?? null,
  })
}

export function formatGreeting({ address, first: { api_key, agent_id }, setup_token }: Greeting): string {
  const lines = [
    '',
    `${product.name} is ready.`,
    '',
    `  Base address   ${address}/api/v1`,
    `  Dashboard      ${address}/`,
    `  Documentation  ${address}/docs`,
    '',
    ...(setup_token
      ? [
          `  Set up         ${address}/setup/${setup_token}`,
          '                 Open this link to become the owner. It works once. It expires after a day, or when the server starts again.',
          '',
        ]
      : []),
  ]
  if (api_key)
    lines.push(
      `  API key        ${api_key}`,
      "                 Copy this key now. You won't be able to see it again.",
      `                 To create another one: npx ${product.short_name} key create --workspace Default`,
      '',
    )
  if (agent_id)
    lines.push(
      '  Try it:',
      ...(api_key ? [`  curl -H 'Authorization: Bearer ${api_key}' ${address}/api/v1/contacts`] : []),
      `  npx ${product.short_name} chat ${receptionist.name}`,
      `  npx ${product.short_name} call +14155550100 --agent ${receptionist.name} --simulate 00`,
      '',
    )
  return lines.join('\n')
}

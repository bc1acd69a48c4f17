import { addressOf, type Config, readConfig } from '../config.ts'
import { product } from '../product.ts'
import type { First } from './first-workspace.ts'
import { receptionist } from './receptionist.ts'

export interface Greeting {
  config: Config
  /** The bound port, because PORT may be 0. */
  port: number
  /** The base address without its path. */
  address: string
  first: First
  /** The token of the setup link. It exists only while there are no people. */
  setup_token: string | undefined
}

/** Writes the greeting for `parley serve --json`. */
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

export function formatGreeting({ config, port, address, first, setup_token }: Greeting): string {
  const { api_key, agent_id } = first
  const data = dataVariables(config)
  const command = [...data, `npx ${product.short_name}`].join(' ')
  const service_command = [...data, ...addressVariables(config, port), `npx ${product.short_name}`].join(' ')
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
      `                 To create another one: ${command} key create --workspace Default`,
      '',
    )
  if (agent_id)
    lines.push(
      '  Try it:',
      ...(api_key ? [`  curl -H 'Authorization: Bearer ${api_key}' ${address}/api/v1/contacts`] : []),
      `  ${service_command} chat ${receptionist.name}`,
      `  ${service_command} call +14155550100 --agent ${receptionist.name} --simulate 00`,
      '',
    )
  return lines.join('\n')
}

/**
 * Returns the variables that a command in another shell needs to find the database. The URL of a database has a
 * password, so it is not printed.
 */
function dataVariables({ database_url, data_dir }: Config): string[] {
  if (database_url !== undefined) return ['DATABASE_URL=...']
  return data_dir === readConfig({}).data_dir ? [] : [`DATA_DIR=${quote(data_dir)}`]
}

/** Returns the variables that a command on this machine needs to find the service, unless it has the usual address. */
function addressVariables(config: Config, port: number): string[] {
  const usual = readConfig({})
  const addressAt = (host: string) => addressOf({ ...config, public_url: undefined, host }, port)
  const has_usual_host = addressAt(config.host) === addressAt(usual.host)
  return [...(has_usual_host ? [] : [`HOST=${quote(config.host)}`]), ...(port === usual.port ? [] : [`PORT=${port}`])]
}

/** Quotes a text for a shell. */
export const quote = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

import type { Shell } from '../start/shell.ts'
import { openApiClient } from './api-client.ts'
import { readWorkspace } from './ask.ts'
import { UsageError } from './command.ts'
import { type Login, readLogins, toAddress, writeLogins } from './logins.ts'
import { askSecret } from './prompt.ts'
import { printAnswer } from './run.ts'

/** Keeps a key if the service accepts it. The login becomes the one in use. */
export async function logIn(
  shell: Shell,
  text: string,
  { key, is_json }: { key: string | undefined; is_json: boolean },
): Promise<void> {
  const url = toAddress(text)
  const api_key = (key ?? (await askSecret(shell, 'API key: '))).trim()
  if (api_key === '') throw new UsageError('an API key is required: create one in the dashboard')
  const workspace = await readWorkspace(openApiClient(url, api_key), url)
  const others = readLogins(shell.env).filter((login) => login.url !== url || login.workspace.id !== workspace.id)
  const file = writeLogins(shell.env, [{ url, api_key, workspace }, ...others])
  const text_line = `Logged in to the workspace "${workspace.name}" at ${url}. The key is in ${file}.`
  printAnswer(shell, { data: { login: { url, workspace, file } }, text: text_line }, is_json)
}

export function logOut(
  shell: Shell,
  { workspace, all = false, is_json }: { workspace?: string; all?: boolean; is_json: boolean },
): void {
  const logins = readLogins(shell.env)
  const isForgotten = (login: Login, index: number): boolean =>
    all || (workspace === undefined ? index === 0 : [login.workspace.name, login.workspace.id].includes(workspace))
  const forgotten = logins.filter(isForgotten)
  if (forgotten.length === 0) throw new UsageError('there is no such login')
  writeLogins(
    shell.env,
    logins.filter((login, index) => !isForgotten(login, index)),
  )
  const data = { logged_out: forgotten.map(({ url, workspace }) => ({ url, workspace })) }
  const lines = forgotten.map(({ url, workspace }) => `Logged out of the workspace "${workspace.name}" at ${url}.`)
  printAnswer(shell, { data, text: lines.join('\n') }, is_json)
}

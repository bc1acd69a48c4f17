import type { Provider } from '../../sdk/src/index.ts'
import { takeFirst } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { findByName } from './find-by-name.ts'
import { askSecret, readSecretFile } from './prompt.ts'
import { type Answer, formatTable } from './run.ts'

export interface ProviderOptions {
  model?: string
  embeddingModel?: string
  baseUrl?: string
  default?: boolean
  keyFile?: string
}

/** A workspace has fewer providers: at most 20, and two from the environment. */
const listed_max = 100

const listAll = ({ api }: Target): Promise<Provider[]> => takeFirst(api.providers.list(), listed_max)

export async function listProviders(target: Target): Promise<Answer> {
  const providers = await listAll(target)
  const rows = providers.map((one) => [
    one.id,
    one.name,
    one.kind,
    one.base_url ?? '',
    one.default_model ?? '',
    one.has_api_key ? 'yes' : 'no',
    one.is_default ? 'default' : '',
  ])
  return { data: { providers }, text: formatTable(['ID', 'NAME', 'KIND', 'URL', 'MODEL', 'KEY', ''], rows) }
}

export async function createProvider(
  { api, shell }: Target,
  name: string,
  { kind, keyFile, ...options }: ProviderOptions & { kind: Provider['kind'] },
): Promise<Answer> {
  const api_key =
    keyFile === undefined ? await askSecret(shell, 'API key (may be empty): ') : readSecretFile('--key-file', keyFile)
  const provider = await api.providers.create({ name, kind, ...toSettings(options), api_key })
  const command = `npx parley provider update "${provider.name}" --key-file FILE`
  const note = provider.has_api_key ? '' : `\nIt has no API key. To set one: ${command}`
  return { data: { provider }, text: `Provider "${provider.name}" ${provider.id}${note}` }
}

export async function updateProvider(
  target: Target,
  wanted: string,
  { name, keyFile, ...options }: ProviderOptions & { name?: string },
): Promise<Answer> {
  const change = {
    ...toSettings(options),
    ...(name !== undefined && { name }),
    ...(keyFile !== undefined && { api_key: readSecretFile('--key-file', keyFile) }),
  }
  if (Object.keys(change).length === 0) throw new UsageError('name what to change')
  const { id } = await find(target, wanted)
  const provider = await target.api.providers.update(id, change)
  return { data: { provider }, text: `Provider "${provider.name}" is changed.` }
}

const toSettings = ({ model, embeddingModel, baseUrl, default: is_default }: ProviderOptions) => ({
  ...(model !== undefined && { default_model: model }),
  ...(embeddingModel !== undefined && { embedding_model: embeddingModel }),
  ...(baseUrl !== undefined && { base_url: baseUrl }),
  ...(is_default !== undefined && { is_default }),
})

export async function deleteProvider(target: Target, name: string): Promise<Answer> {
  const { id } = await find(target, name)
  await target.api.providers.delete(id)
  return { data: { deleted: true, id }, text: `Provider "${name}" is deleted.` }
}

export async function testByName(target: Target, name: string): Promise<Answer> {
  const result = await target.api.providers.test((await find(target, name)).id)
  const text = result.is_ok ? `It answered after ${result.duration_ms} ms.` : `It failed: ${result.error}`
  return { data: { result }, text, has_failed: !result.is_ok }
}

const find = async (target: Target, name: string): Promise<Provider> =>
  findByName(await listAll(target), name, 'provider', target.workspace)

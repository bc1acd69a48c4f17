import { type AtOutside, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import type { TestResult } from '../kit/field.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { invalid, Problem } from '../kit/problem.ts'
import { NewProvider, type Provider } from '../models/schema.ts'
import * as providers from '../models/store.ts'
import { testProvider } from '../models/test-provider.ts'
import type { Shell } from '../start/shell.ts'
import { type ApiClient, takeFirst } from './api-client.ts'
import { withService } from './api-session.ts'
import { askSecret, readSecretFile } from './prompt.ts'
import { type Answer, formatTable } from './run.ts'
import { findWorkspace } from './workspace-actions.ts'

export interface NewProviderOptions {
  workspace: string
  kind: string
  model?: string
  embeddingModel?: string
  baseUrl?: string
  default?: boolean
  keyFile?: string
}

const key = { name: 'parley provider', scopes: ['providers:read', 'providers:write'], lasts_ms: 3_600_000 }

/** The providers of a workspace, of the running service if there is one. */
interface Access {
  list: () => Promise<Provider[]>
  create: (input: NewProvider) => Promise<Provider>
  remove: (id: string) => Promise<void>
  test: (id: string) => Promise<TestResult>
}

/** A workspace has at most 20, and two from the environment. */
const listed_max = 100

const throughApi = ({ providers }: ApiClient): Access => ({
  list: () => takeFirst(providers.list(), listed_max),
  create: (input) => providers.create(input),
  async remove(id) {
    await providers.delete(id)
  },
  test: (id) => providers.test(id),
})

const inDatabase = (at: AtOutside): Access => ({
  list: async () => (await providers.list(at, { limit: listed_max, offset: 0 })).data,
  async create(input) {
    await providers.checkUrl(at, input.base_url)
    return inTransaction(at, (at) => providers.create(at, input))
  },
  async remove(id) {
    await inTransaction(at, (at) => providers.remove(at, { id, isCurrent: () => true }))
  },
  test: (id) => testProvider(at, id),
})

async function withProviders(
  service: Service,
  shell: Shell,
  workspace: string,
  work: (access: Access) => Promise<Answer>,
): Promise<Answer> {
  const at = await atWorkspace(service, (await findWorkspace(service, workspace)).id)
  return withService(shell, at, key, (api) => work(api ? throughApi(api) : inDatabase(at)))
}

export const listProviders = (service: Service, shell: Shell, workspace: string): Promise<Answer> =>
  withProviders(service, shell, workspace, async ({ list }) => {
    const all = await list()
    const rows = all.map((one) => [
      one.id,
      one.name,
      one.kind,
      one.base_url ?? '',
      one.default_model ?? '',
      one.has_api_key ? 'yes' : 'no',
      one.is_default ? 'default' : '',
    ])
    return { data: { providers: all }, text: formatTable(['ID', 'NAME', 'KIND', 'URL', 'MODEL', 'KEY', ''], rows) }
  })

export async function createProvider(
  service: Service,
  shell: Shell,
  name: string,
  options: NewProviderOptions,
): Promise<Answer> {
  const { workspace, kind, model, embeddingModel, baseUrl, keyFile } = options
  const given = {
    name,
    kind,
    ...(model !== undefined && { default_model: model }),
    ...(embeddingModel !== undefined && { embedding_model: embeddingModel }),
    ...(baseUrl !== undefined && { base_url: baseUrl }),
    ...(options.default && { is_default: true }),
  }
  // What is wrong is said before anyone types a key.
  const { default_model = null, embedding_model = null, is_default = false, ...valid } = validProvider(given)
  providers.assertFits({ kind: valid.kind, default_model, embedding_model, is_default })
  await findWorkspace(service, workspace)
  const api_key =
    keyFile === undefined ? await askSecret(shell, 'API key (may be empty): ') : readSecretFile('--key-file', keyFile)
  const input = validProvider({ ...given, api_key })
  return withProviders(service, shell, workspace, async ({ create }) => {
    const provider = await create(input)
    const note = provider.has_api_key ? '' : `\n${noKeyNote(service.tools.address(), provider)}`
    return { data: { provider }, text: `Provider "${provider.name}" ${provider.id}${note}` }
  })
}

const noKeyNote = (address: string, { id }: Provider): string =>
  'It has no API key. To set one, edit the provider in the dashboard, or send PATCH ' +
  `${address}/api/v1/providers/${id} with {"api_key": "..."}.`

export const deleteProvider = (service: Service, shell: Shell, name: string, workspace: string): Promise<Answer> =>
  withProviders(service, shell, workspace, async (access) => {
    const { id } = await findByName(access, name)
    await access.remove(id)
    return { data: { deleted: true, id }, text: `Provider "${name}" is deleted.` }
  })

export const testByName = (service: Service, shell: Shell, name: string, workspace: string): Promise<Answer> =>
  withProviders(service, shell, workspace, async (access) => {
    const result = await access.test((await findByName(access, name)).id)
    const text = result.is_ok ? `It answered after ${result.duration_ms} ms.` : `It failed: ${result.error}`
    return { data: { result }, text, has_failed: !result.is_ok }
  })

async function findByName({ list }: Access, name: string): Promise<Provider> {
  const found = (await list()).find((provider) => provider.name === name)
  if (!found) throw new Problem('NOT_FOUND', `there is no provider "${name}"`)
  return found
}

function validProvider(input: object): NewProvider {
  const { value, faults } = validate(NewProvider as RequestSchema, input)
  if (faults.length > 0) throw invalid(faults)
  // It was validated against the schema that the type comes from.
  return value as NewProvider
}

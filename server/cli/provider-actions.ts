import fs from 'node:fs'
import { type At, atWorkspace, inTransaction, type Service } from '../kit/at.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { invalid, Problem } from '../kit/problem.ts'
import { NewProvider, type Provider } from '../models/schema.ts'
import * as providers from '../models/store.ts'
import { testProvider } from '../models/test-provider.ts'
import { askSecret } from './prompt.ts'
import { type Answer, formatTable } from './run.ts'
import { findWorkspace } from './workspace-actions.ts'

export interface NewProviderOptions {
  workspace: string
  kind: string
  model: string
  baseUrl?: string
  default?: boolean
  keyFile?: string
}

export async function listProviders(service: Service, workspace: string): Promise<Answer> {
  const all = await readAll(await atNamed(service, workspace))
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
}

export async function createProvider(service: Service, name: string, options: NewProviderOptions): Promise<Answer> {
  const at = await atNamed(service, options.workspace)
  const given = {
    name,
    kind: options.kind,
    default_model: options.model,
    ...(options.baseUrl !== undefined && { base_url: options.baseUrl }),
    ...(options.default && { is_default: true }),
  }
  // What is wrong is said before anyone types a key.
  validProvider(given)
  await providers.checkUrl(at, options.baseUrl)
  const input = validProvider({ ...given, api_key: await readKey(options.keyFile) })
  const provider = await inTransaction(at, (at) => providers.create(at, input))
  return { data: { provider }, text: `Provider "${provider.name}" ${provider.id}` }
}

export async function deleteProvider(service: Service, name: string, workspace: string): Promise<Answer> {
  const at = await atNamed(service, workspace)
  const { id } = await findByName(at, name)
  await inTransaction(at, (at) => providers.remove(at, { id, isCurrent: () => true }))
  return { data: { deleted: true, id }, text: `Provider "${name}" is deleted.` }
}

export async function testByName(service: Service, name: string, workspace: string): Promise<Answer> {
  const at = await atNamed(service, workspace)
  const result = await testProvider(at, (await findByName(at, name)).id)
  const text = result.is_ok ? `It answered after ${result.duration_ms} ms.` : `It failed: ${result.error}`
  return { data: { result }, text }
}

const atNamed = async (service: Service, name: string): Promise<At> =>
  atWorkspace(service, (await findWorkspace(service, name)).id)

const readAll = async (at: At): Promise<Provider[]> => (await providers.list(at, { limit: 100, offset: 0 })).data

async function findByName(at: At, name: string): Promise<Provider> {
  const found = (await readAll(at)).find((provider) => provider.name === name)
  if (!found) throw new Problem('NOT_FOUND', `there is no provider "${name}"`)
  return found
}

function validProvider(input: object): NewProvider {
  const { value, faults } = validate(NewProvider as RequestSchema, input)
  if (faults.length > 0) throw invalid(faults)
  // It was validated against the schema that the type comes from.
  return value as NewProvider
}

/** The file may end with a line break. */
const readKey = async (file: string | undefined): Promise<string> =>
  file === undefined ? askSecret('API key: ') : fs.readFileSync(file, 'utf8').trim()

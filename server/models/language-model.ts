import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { At } from '../kit/at.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { fetchThrough } from '../kit/outbound/fetch.ts'
import type { Outbound } from '../kit/outbound/outbound.ts'
import { product } from '../product.ts'
import * as workspaces from '../workspaces/store.ts'
import * as providers from './store.ts'

export interface ModelChoice {
  /** The name of a provider. By default the workspace's default provider. */
  provider?: string | null
  /** By default the provider's default model. */
  name?: string | null
  temperature?: number | null
}

/** The model can't be asked. The message is one sentence for the people of the workspace. */
export class ModelError extends Error {}

const limits = { head_timeout_ms: 60_000, timeout_ms: 120_000, bytes_max: 8 * 1024 * 1024 }

/**
 * Fails with a ModelError if there is no such provider or model. Asking the model fails with an OutboundError, an
 * APICallError of the AI SDK, or the reason of its abort signal.
 */
export async function openModel(at: At, { provider, name, temperature }: ModelChoice): Promise<LanguageModelV4> {
  if (!(await workspaces.allowsNetwork(at)))
    throw new ModelError('A test workspace asks no models until `allows_network` is set.')
  const account = await providers.findAccount(at, provider == null ? {} : { name: provider })
  if (!account)
    throw new ModelError(provider == null ? 'There is no default provider.' : `There is no provider "${provider}".`)
  const model = await connect(at, account, name ?? account.default_model)
  return temperature == null ? model : withTemperature(model, temperature)
}

/** Models that were made before, by what they were made of: to make one takes longer than to use it. */
const models = new WeakMap<Outbound, Map<string, LanguageModelV4>>()
const models_max = 200

export async function connect(at: At, account: providers.Account, name: string | null): Promise<LanguageModelV4> {
  if (name === null) throw new ModelError('The provider has no default model.')
  if (!providers.mayUse(account, name)) throw new ModelError(`The operator doesn't allow the model "${name}".`)
  const { outbound } = at.tools
  const known = models.get(outbound) ?? new Map<string, LanguageModelV4>()
  models.set(outbound, known)
  const { kind, base_url, api_key, environment } = account
  const key = JSON.stringify([kind, base_url, api_key, environment !== undefined, name])
  const model = known.get(key) ?? (await createModel(at, account, name))
  setBounded(known, key, model, models_max)
  return model
}

async function createModel(at: At, account: providers.Account, name: string): Promise<LanguageModelV4> {
  const { kind, base_url, environment } = account
  const is_trusted = environment !== undefined
  const apiKey = is_trusted ? (account.api_key ?? '') : openKey(at, account.api_key)
  const settings = {
    baseURL: base_url,
    headers: { 'user-agent': product.name },
    fetch: fetchThrough(at.tools.outbound, { ...limits, origin: new URL(base_url).origin, is_trusted }),
  }
  // Imported when they are needed, because it takes a while.
  if (kind === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    // Without a key it would take the operator's from the environment.
    return createAnthropic({ ...settings, apiKey })(name)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const named = { ...settings, name: 'openai_compatible', includeUsage: true, ...(apiKey && { apiKey }) }
  return createOpenAICompatible(named)(name)
}

function openKey({ tools }: At, sealed: string | null): string {
  if (sealed === null) return ''
  try {
    return tools.seal.open(sealed)
  } catch {
    throw new ModelError("The provider's API key was encrypted with another SECRETS_KEY. Set it again.")
  }
}

const withTemperature = (model: LanguageModelV4, temperature: number): LanguageModelV4 => ({
  specificationVersion: model.specificationVersion,
  provider: model.provider,
  modelId: model.modelId,
  supportedUrls: model.supportedUrls,
  doGenerate: (options) => model.doGenerate({ temperature, ...options }),
  doStream: (options) => model.doStream({ temperature, ...options }),
})

import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type At, type AtOutside, newToolOutside } from '../kit/at.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { fetchThrough } from '../kit/outbound/fetch.ts'
import { product } from '../product.ts'
import * as workspaces from '../workspaces/store.ts'
import { readAnswer } from './answer-events.ts'
import { checkedModel } from './checked-model.ts'
import { base_urls } from './environment.ts'
import {
  hasSettings,
  limitRenamerFor,
  type ModelSettings,
  no_model_settings,
  settingConflict,
  withSettings,
} from './model-settings.ts'
import { isLanguageKind, type LanguageKind } from './schema.ts'
import * as providers from './store.ts'
import { withCounts } from './usage.ts'

export interface ModelChoice {
  /** The name of a provider. The default is the workspace's default provider. */
  provider?: string | null
  /** The name of the model. The default is the provider's default model. */
  name?: string | null
  temperature?: number | null
  /** More settings. The temperature above comes before theirs. */
  settings?: ModelSettings
}

/** The model can't be asked. The message is one sentence for the people of the workspace. */
export class ModelError extends Error {}

const time_limits = { head_timeout_ms: 60_000, timeout_ms: 120_000 }
const stream_bytes_max = 8 * 1024 * 1024
/** A whole answer has at most this many bytes, because it is parsed in one go. */
const whole_bytes_max = 256 * 1024

/**
 * Fails with a ModelError if there is no such provider or model. Asking the model fails with an OutboundError, a
 * ProviderError, an error of the AI SDK if the answer is not what the API defines, or the reason of its abort signal.
 */
export async function openModel(at: AtOutside, choice: ModelChoice): Promise<LanguageModelV4> {
  const { name, settings: given = no_model_settings } = choice
  if (!(await workspaces.allowsNetwork(at)))
    throw new ModelError('A test workspace asks no models until `allows_network` is set.')
  const account = findChosen(await providers.readAccounts(at), choice)
  const model = await connect(at, account, name ?? account.default_model)
  const settings = { ...given, temperature: choice.temperature ?? given.temperature }
  if (!isLanguageKind(account.kind) || !hasSettings(settings)) return model
  const conflict = settingConflict(account.kind, settings)
  if (conflict) throw new ModelError(conflict.message)
  return withSettings(model, { kind: account.kind, settings })
}

function findChosen(findAccount: providers.FindAccount, { provider }: ModelChoice): providers.Account {
  const account = findAccount(provider == null ? {} : { name: provider })
  if (account) return account
  throw new ModelError(provider == null ? 'There is no default provider.' : `There is no provider "${provider}".`)
}

/** Returns why the model can't be asked, as a sentence, or null if it can. Nothing is requested. */
export function whyNot(at: At, findAccount: providers.FindAccount, choice: ModelChoice): string | null {
  try {
    const account = findChosen(findAccount, choice)
    assertModel(account, choice.name ?? account.default_model)
    assertKey(at, account)
    return null
  } catch (error) {
    if (error instanceof ModelError) return error.message
    throw error
  }
}

/** Throws if the vendor's own server would be asked without a key. Other servers may need none. */
function assertKey(at: At, { name, kind, base_url, api_key, environment }: providers.Account): void {
  if (api_key === null && URL.parse(base_url)?.host === URL.parse(base_urls[kind])?.host)
    throw new ModelError(`The provider "${name}" has no API key.`)
  // This fails if the key was sealed with another SECRETS_KEY.
  if (!environment) openKey(at, api_key)
}

const models_max = 200

/** Models that were made before, by what they were made of, because making one takes longer than using it. */
const madeModels = newToolOutside(() => new Map<string, LanguageModelV4>())

export async function connect(
  at: AtOutside,
  account: providers.Account,
  name: string | null,
): Promise<LanguageModelV4> {
  const usable = assertModel(account, name)
  const models = madeModels.of(at)
  const { kind, base_url, api_key, environment } = account
  const key = JSON.stringify([kind, base_url, api_key, environment !== undefined, usable.name])
  const model = models.get(key) ?? (await createModel(at, { ...account, kind: usable.kind }, usable.name))
  setBounded(models, key, model, models_max)
  return model
}

/** Throws a ModelError if the provider has no such model. */
function assertModel(account: providers.Account, name: string | null): { kind: LanguageKind; name: string } {
  const { kind } = account
  if (!isLanguageKind(kind)) throw new ModelError('The provider only hears and speaks.')
  if (name === null) throw new ModelError('The provider has no default model.')
  if (!providers.mayUse(account, name)) throw new ModelError(`The operator doesn't allow the model "${name}".`)
  return { kind, name }
}

async function createModel(
  at: AtOutside,
  account: providers.Account & { kind: LanguageKind },
  name: string,
): Promise<LanguageModelV4> {
  const { kind, base_url, environment } = account
  const is_trusted = environment !== undefined
  const apiKey = is_trusted ? (account.api_key ?? '') : openKey(at, account.api_key)
  const create = await import_by_kind[kind]()
  const settings = { baseURL: base_url, headers: { 'user-agent': product.name }, apiKey, name }
  const options = { ...time_limits, whole_bytes_max, origin: new URL(base_url).origin, is_trusted }
  const { outbound } = at.tools
  const fetchWhole = fetchThrough(outbound, {
    ...options,
    bytes_max: whole_bytes_max,
    changeBody: (text) => withCounts(text, kind),
  })
  const fetchStream = fetchThrough(outbound, {
    ...options,
    bytes_max: stream_bytes_max,
    readStream: (body) => readAnswer(body, { kind, api_key: apiKey }),
  })
  return checkedModel({
    whole: create({ ...settings, fetch: fetchWhole }),
    streamed: create({ ...settings, fetch: fetchStream }),
    api_key: apiKey,
    kind,
    metrics: at.tools.metrics,
  })
}

interface ModelOptions {
  baseURL: string
  headers: Record<string, string>
  apiKey: string
  /** The name of the model. */
  name: string
  fetch: typeof fetch
}

/** Packages are imported when they are needed, because that takes a while. */
const import_by_kind = {
  async anthropic() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    // Without a key the package would take the operator's from the environment.
    return ({ name, ...settings }: ModelOptions): LanguageModelV4 => createAnthropic(settings)(name)
  },
  async openai_compatible() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return ({ name, apiKey, ...settings }: ModelOptions): LanguageModelV4 =>
      createOpenAICompatible({
        ...settings,
        name: 'openai_compatible',
        includeUsage: true,
        transformRequestBody: limitRenamerFor(settings.baseURL),
        ...(apiKey && { apiKey }),
      })(name)
  },
}

export function openKey({ tools }: At, sealed: string | null): string {
  if (sealed === null) return ''
  try {
    return tools.seal.open(sealed)
  } catch {
    throw new ModelError("The provider's API key was encrypted with another SECRETS_KEY. Set it again.")
  }
}

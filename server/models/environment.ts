import { newTool } from '../kit/at.ts'
import type { LanguageKind, ProviderKind } from './schema.ts'

/** A provider that the operator has configured for all workspaces. */
export interface EnvironmentProvider {
  name: string
  kind: LanguageKind
  base_url: string
  api_key: string | undefined
  default_model: string | undefined
  /** Only these models may be named. The default is one of them. */
  models: string[]
}

/** The providers from the environment. The first one is the first choice for a default. */
export const environmentProviders = newTool<EnvironmentProvider[]>()

export interface EnvironmentSettings {
  openai_api_key: string | undefined
  openai_base_url: string | undefined
  openai_model: string | undefined
  openai_models: string[]
  anthropic_api_key: string | undefined
  anthropic_model: string | undefined
}

export const base_urls: Record<ProviderKind, string> = {
  openai_compatible: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  elevenlabs: 'https://api.elevenlabs.io/v1',
  deepgram: 'https://api.deepgram.com/v1',
}

export function readEnvironmentProviders(settings: EnvironmentSettings): EnvironmentProvider[] {
  const { openai_api_key, openai_base_url, openai_model, openai_models, anthropic_api_key, anthropic_model } = settings
  const openai: EnvironmentProvider = {
    name: 'openai',
    kind: 'openai_compatible',
    base_url: openai_base_url ?? base_urls.openai_compatible,
    api_key: openai_api_key,
    default_model: openai_model,
    models: [...(openai_model === undefined ? [] : [openai_model]), ...openai_models],
  }
  const anthropic: EnvironmentProvider = {
    name: 'anthropic',
    kind: 'anthropic',
    base_url: base_urls.anthropic,
    api_key: anthropic_api_key,
    default_model: anthropic_model,
    models: anthropic_model === undefined ? [] : [anthropic_model],
  }
  // A server of the operator's own may need no key.
  const has_openai = openai_api_key !== undefined || openai_base_url !== undefined
  return [...(has_openai ? [openai] : []), ...(anthropic_api_key === undefined ? [] : [anthropic])]
}

import { type Static, Type } from 'typebox'
import { allOptional, body, check, oneOf, optionalText, optionalTimestamp, text } from '../kit/field.ts'
import { isId } from '../kit/id.ts'
import * as page from '../kit/postgres/page.ts'

export const providers_max = 20
/** Kinds of providers whose models answer with words. */
const language_kinds = ['openai_compatible', 'anthropic'] as const
export type LanguageKind = (typeof language_kinds)[number]
/** Kinds of providers whose models hear or speak, and do nothing else. */
const speech_only_kinds = ['elevenlabs', 'deepgram'] as const
const provider_kinds = [...language_kinds, ...speech_only_kinds] as const
export type ProviderKind = (typeof provider_kinds)[number]

export const isLanguageKind = (kind: ProviderKind): kind is LanguageKind => language_kinds.some((one) => one === kind)

/** The ids of providers from the environment are their names. */
export const environment_ids = ['openai', 'anthropic']
const id_pattern = `^([0-9a-f-]{36}|${environment_ids.join('|')})$`
const id_example = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

const name_text = { maxLength: 100, description: 'Unique in the workspace. Agents name it.', examples: ['OpenAI'] }
const model_rules = { maxLength: 200, pattern: '^\\S+$' }
const model_text = {
  ...model_rules,
  description:
    'The model that is used when none is named. Required for `openai_compatible` and `anthropic`. For `elevenlabs` and `deepgram` it ' +
    'is one that hears or one that speaks; `null`: see "Speech" in the guide.',
  examples: ['gpt-5-mini'],
}
const embedding_model_text = {
  ...model_rules,
  description:
    'The model that turns texts into vectors. Only for `openai_compatible`. `null`: none. An answer may have 64 kB, and 128 kB for ' +
    'each text: a longer one is not used.',
  examples: [null],
}
const base_url_text = {
  maxLength: 2_000,
  description:
    'The URL of the API, up to and without `/chat/completions`, `/messages`, `/text-to-speech` or `/speak`. On a public host, without user name, ' +
    'password and query.',
  examples: ['https://api.openai.com/v1'],
}
const kind = oneOf(provider_kinds, {
  description:
    "`openai_compatible` for any server with OpenAI's Chat Completions API; `elevenlabs` and `deepgram` for speech only. It can't be changed.",
  examples: ['openai_compatible'],
})
const is_default_text =
  'Whether agents without a model use this provider. At most one provider of a workspace is the default, and none for speech only.'

const provider = {
  id: Type.String({
    pattern: id_pattern,
    description: 'The unique id of the provider. Of a provider from the environment: `openai` or `anthropic`.',
    examples: [id_example],
  }),
  name: Type.String(name_text),
  kind,
  base_url: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...base_url_text,
    description: `${base_url_text.description} \`null\` for a provider from the environment, and for people who are not owners.`,
  }),
  default_model: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...model_text,
    description: `${model_text.description} Also \`null\` for a provider from the environment that has none.`,
  }),
  embedding_model: Type.Unsafe<string | null>({ type: ['string', 'null'], ...embedding_model_text }),
  is_default: Type.Boolean({
    description: `${is_default_text} The first from the environment that has a model is, while no other is.`,
    examples: [true],
  }),
  has_api_key: Type.Boolean({ description: 'Whether an API key is stored.', examples: [true] }),
  source: oneOf(['workspace', 'environment'], {
    description: "`environment` if the operator has configured it for all workspaces. It then can't be changed.",
    examples: ['workspace'],
  }),
  created_at: optionalTimestamp('When the provider was created. `null` for a provider from the environment.'),
  updated_at: optionalTimestamp('When the provider was last changed. `null` for a provider from the environment.'),
}

export const Provider = Type.Object(provider, { title: 'Provider' })
export type Provider = Static<typeof Provider>

const fields = {
  name: text(name_text),
  base_url: text({
    ...base_url_text,
    [check]: (url) => (url.includes('?') ? { code: 'format', message: 'must not have a query (?).' } : undefined),
  }),
  default_model: Type.Optional(optionalText(model_text)),
  embedding_model: Type.Optional(optionalText(embedding_model_text)),
  is_default: Type.Boolean({ description: is_default_text, examples: [true] }),
  api_key: Type.Optional(
    optionalText({
      maxLength: 500,
      pattern: '^[\\x21-\\x7e]*$',
      description:
        'Sent to the provider, and never returned. A change of scheme, host or port of `base_url` removes the stored key, unless it is sent again.',
      examples: ['sk-example'],
    }),
  ),
}

export const NewProvider = body(
  'NewProvider',
  {
    ...fields,
    kind,
    base_url: Type.Optional({
      ...fields.base_url,
      description: `${base_url_text.description} By default the vendor's own.`,
    }),
    is_default: Type.Optional(
      Type.Boolean({
        description: `${is_default_text} By default \`true\` if the workspace has no other.`,
        examples: [true],
      }),
    ),
  },
  Provider,
)
export type NewProvider = Static<typeof NewProvider>

export const ProviderChange = body('ProviderChange', allOptional(fields), Provider)
export type ProviderChange = Static<typeof ProviderChange>

export const ProviderQuery = page.query({})

export const ByProviderId = Type.Object({
  id: text({
    pattern: id_pattern,
    [check]: (id) =>
      isId(id) || environment_ids.includes(id)
        ? undefined
        : { code: 'format', message: 'must be the id of a provider.' },
    description: 'The id of the provider.',
    examples: [id_example],
  }),
})
